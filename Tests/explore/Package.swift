// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that `swift test` builds no explorer, and so that the explorer uses what any client can use.
let package = Package(
  name: "Explore",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "SerialTasks", path: "../..")],
  targets: [
    .executableTarget(
      name: "explore",
      dependencies: [
        .product(name: "CoalescingTasks", package: "SerialTasks"),
        .product(name: "SerialTasksFenced", package: "SerialTasks"),
        .product(name: "SerialTasksFencedTesting", package: "SerialTasks"),
        .product(name: "SerialTasksTesting", package: "SerialTasks"),
      ],
      path: ".")
  ]
)
