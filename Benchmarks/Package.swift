// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nothing it needs ever reaches the library, and so that the library is measured from where its
// users are: from another package.
let library = Target.Dependency.product(name: "SerialTasks", package: "SerialTasks")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(name: "SerialTasks", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
  ],
  targets: [
    // Links no Foundation, and neither does Mix: CI looks at what this executable needs.
    .executableTarget(name: "budget", dependencies: [library, "Mix"]),
    .target(name: "Mix", dependencies: [library]),
    .target(name: "CHeap"),
    .target(name: "Comparing", dependencies: ["CHeap", arguments]),
    .executableTarget(name: "queue-depth", dependencies: [library, "Comparing", arguments]),
    .executableTarget(name: "coalescing", dependencies: [library, "Comparing", "Mix", arguments]),
    .testTarget(name: "ComparingTests", dependencies: ["Comparing"]),
  ]
)
