// swift-tools-version: 6.2
import PackageDescription

// A package of its own: what a server needs reaches neither the library nor the other benchmarks.
let library = Target.Dependency.product(name: "SerialTasks", package: "SerialTasks")
let testing = Target.Dependency.product(name: "SerialTasksTesting", package: "SerialTasks")
let fenced = Target.Dependency.product(name: "SerialTasksFenced", package: "SerialTasks")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let database = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let client = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let server = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")

let package = Package(
  name: "Service",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(name: "SerialTasks", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: ["FullFoundation"]),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    // What an executor reports, for swift-log, swift-metrics and swift-distributed-tracing.
    .target(name: "Observing", dependencies: [library, logging, metrics, tracing]),
    // Accounts in a database, and the ways to keep their order.
    .target(name: "Bank", dependencies: [library, fenced, database]),
    // Access to keys for several machines.
    .target(name: "Etcd", dependencies: [library, fenced, client, logging]),
    // Accounts over HTTP.
    .target(name: "Serving", dependencies: ["Bank", "Observing", library, server, lifecycle, logging, metrics]),
    .executableTarget(
      name: "service", dependencies: ["Serving", "Bank", "Etcd", "Observing", arguments, logging, metrics]),
    // Starts the service, plays its clients, and looks at what is in the database afterwards. It needs the service as a
    // program beside it, which is built only for those who depend on it.
    .executableTarget(name: "load", dependencies: ["service", "Bank", arguments, client]),
    .testTarget(name: "BankTests", dependencies: ["Bank", "Serving", library, fenced, testing, database]),
    .testTarget(
      name: "ObservingTests",
      dependencies: [
        "Observing", library,
        .product(name: "InMemoryLogging", package: "swift-log"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
      ]),
    // A process for the tests of Etcd, which kill it.
    .executableTarget(name: "etcd-holder", dependencies: ["Etcd"], path: "Tests/etcd-holder"),
    .testTarget(
      name: "EtcdTests",
      dependencies: [
        "Etcd", "etcd-holder", library, fenced,
        .product(name: "SerialTasksFencedTesting", package: "SerialTasks"),
      ]),
  ]
)
