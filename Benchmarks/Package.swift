// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nothing it needs ever reaches the library, and so that the library is measured from where its
// users are: from another package.
let library = Target.Dependency.product(name: "CoalescingTasks", package: "SerialTasks")
let order = Target.Dependency.product(name: "SerialTasks", package: "SerialTasks")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

// SERIALTASKS_PEERS=1 also measures the packages that people use for the same; without it nothing of them is fetched.
let withPeers = Context.environment["SERIALTASKS_PEERS"] == "1"
let peers: [(url: String, version: Version, package: String, product: String)] =
  withPeers
  ? [
    ("https://github.com/dfed/swift-async-queue", "1.0.1", "swift-async-queue", "AsyncQueue"),
    ("https://github.com/groue/AsyncQueues", "0.3.1", "AsyncQueues", "AsyncQueues"),
    ("https://github.com/groue/Semaphore", "0.1.0", "Semaphore", "Semaphore"),
    ("https://github.com/mattmassicotte/Queue", "0.2.1", "Queue", "Queue"),
  ] : []

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(name: "SerialTasks", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    // Without its traits: they replace malloc and the runtime's retain and release, which are part of what is measured.
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
  ] + peers.map { .package(url: $0.url, exact: $0.version) },
  targets: [
    // Links no Foundation, and neither do ByHand and Mix: CI looks at what this executable needs.
    .executableTarget(name: "budget", dependencies: [library, "ByHand", "Mix", "CHeap"]),
    .target(name: "ByHand"),
    .target(name: "Mix", dependencies: [library, "ByHand"]),
    .target(name: "CHeap"),
    .target(name: "Comparing", dependencies: ["CHeap", arguments]),
    .executableTarget(
      name: "queue-depth",
      dependencies: [library, "ByHand", "Comparing", arguments]
        + peers.map { .product(name: $0.product, package: $0.package) },
      swiftSettings: withPeers ? [.define("PEERS")] : []),
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
    .executableTarget(name: "counted", dependencies: [library, "Mix"]),
    // The smallest programs that use a type, whose bytes are counted.
    .executableTarget(name: "client-line", dependencies: [order]),
    .executableTarget(name: "client-keyed", dependencies: [order]),
    .executableTarget(name: "client-repository", dependencies: [library]),
    .testTarget(name: "ComparingTests", dependencies: ["Comparing", "Mix"]),
  ]
)
