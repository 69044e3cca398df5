// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nothing it needs ever reaches the library, and so that the library is measured from where its
// users are: from another package.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v26)],
  dependencies: [.package(name: "SerialTasks", path: "..")],
  targets: [
    .executableTarget(name: "budget", dependencies: [.product(name: "SerialTasks", package: "SerialTasks")])
  ]
)
