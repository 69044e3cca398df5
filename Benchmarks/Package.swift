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
    // Without its traits: they replace malloc and the runtime's retain and release, which are part of what is measured.
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
  ],
  targets: [
    // Links no Foundation, and neither does Mix: CI looks at what this executable needs.
    .executableTarget(name: "budget", dependencies: [library, "Mix", "CHeap"]),
    .target(name: "Mix", dependencies: [library]),
    .target(name: "CHeap"),
    .target(name: "Comparing", dependencies: ["CHeap", arguments]),
    .executableTarget(name: "queue-depth", dependencies: [library, "Comparing", arguments]),
    .executableTarget(name: "coalescing", dependencies: [library, "Comparing", "Mix", arguments]),
    // Starts itself as several processes, which work on the same keys.
    .executableTarget(
      name: "fenced", dependencies: [library, .product(name: "SerialTasksFenced", package: "SerialTasks")]),
    // Must lie directly in a folder of this name: the plugin looks for it.
    .executableTarget(
      name: "Suite",
      dependencies: [library, "Comparing", .product(name: "Benchmark", package: "benchmark")],
      path: "Suite",
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
    // What is counted by valgrind; links no Foundation either, whose start would be counted too.
    .executableTarget(name: "counted", dependencies: [library]),
    .testTarget(name: "ComparingTests", dependencies: ["Comparing"]),
  ]
)
