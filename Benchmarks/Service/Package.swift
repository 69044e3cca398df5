// swift-tools-version: 6.2
import PackageDescription

// A package of its own: what a server needs reaches neither the library nor the other benchmarks.
let library = Target.Dependency.product(name: "CoalescingTasks", package: "SerialTasks")
let testing = Target.Dependency.product(name: "SerialTasksTesting", package: "SerialTasks")
let fenced = Target.Dependency.product(name: "SerialTasksFenced", package: "SerialTasks")
let conformance = Target.Dependency.product(name: "SerialTasksFencedTesting", package: "SerialTasks")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let database = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let server = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let grpc = Target.Dependency.product(name: "GRPCCore", package: "grpc-swift-2")
let transport = Target.Dependency.product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport")
let protobuf = Target.Dependency.product(name: "GRPCProtobuf", package: "grpc-swift-protobuf")
let messages = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
let channels = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let parts = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let serverCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let logs = Target.Dependency.product(name: "InMemoryLogging", package: "swift-log")
let counts = Target.Dependency.product(name: "MetricsTestKit", package: "swift-metrics")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")

// SERIALTASKS_ETCD=1 adds etcd's engine and its tests. Without it, nothing of gRPC is fetched or compiled.
let withEtcd = Context.environment["SERIALTASKS_ETCD"] == "1"
let etcd: [Target.Dependency] = withEtcd ? ["Etcd"] : []
let etcdSettings: [SwiftSetting] = withEtcd ? [.define("ETCD")] : []

let package = Package(
  name: "Service",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(name: "SerialTasks", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.1"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: ["FullFoundation"]),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    // What an executor reports, for swift-log, swift-metrics and swift-distributed-tracing.
    .target(name: "Observing", dependencies: [library, logging, metrics, tracing]),
    // libpq, of Debian's package libpq-dev.
    .systemLibrary(name: "CLibpq", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    // A connection to PostgreSQL, and access to keys by its locks.
    .target(
      name: "Postgres", dependencies: ["CLibpq", library, fenced, logging, metrics], exclude: ["README.md"]),
    // Accounts in a database, and the ways to keep their order.
    .target(name: "Bank", dependencies: ["Postgres", library, fenced, database]),
    // Accounts over HTTP.
    .target(
      name: "Serving",
      dependencies: [
        "Bank", "Observing", library, testing, server, serverCore, channels, parts, lifecycle, logging, metrics,
      ]),
    .executableTarget(
      name: "service",
      dependencies: ["Serving", "Bank", "Postgres", "Observing", fenced, testing, arguments, logging, metrics] + etcd,
      exclude: withEtcd ? [] : ["EtcdEngine.swift"], swiftSettings: etcdSettings),
    // Starts the service, plays its clients, and looks at what is in the database afterwards. It needs the service as a
    // program beside it, which is built only for those who depend on it.
    .executableTarget(name: "load", dependencies: ["service", "Bank", "Servers", arguments, library]),
    .testTarget(
      name: "BankTests", dependencies: ["Bank", "Serving", "Postgres", "Servers", library, fenced, testing, database]),
    .testTarget(
      name: "ServingTests", dependencies: ["service", "Servers"],
      exclude: withEtcd ? [] : ["ServingOverEtcdTests.swift"], swiftSettings: etcdSettings),
    .testTarget(
      name: "ObservingTests",
      dependencies: [
        "Observing", library, logs, counts,
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
      ]),
    // Servers that tests and load start, and a process that tests kill.
    .target(
      name: "Servers",
      dependencies: [
        channels, .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
      ], path: "Tests/Servers"),
    .executableTarget(
      name: "holder", dependencies: ["Postgres", fenced] + etcd, path: "Tests/holder", swiftSettings: etcdSettings),
    .testTarget(
      name: "PostgresTests",
      dependencies: [
        "Postgres", "Bank", "Servers", "holder", library, fenced, conformance, testing, logs, counts,
      ]),
  ]
)

if withEtcd {
  package.dependencies += [
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0", traits: []),
    .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.3"),
    .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.9.2"),
    .package(url: "https://github.com/grpc/grpc-swift-protobuf", from: "2.4.1"),
  ]
  package.targets += [
    // Access to keys for several machines, by the leases of etcd.
    .target(
      name: "Etcd", dependencies: [library, fenced, grpc, transport, protobuf, messages, logging, metrics],
      exclude: ["Generated/etcd.proto", "README.md"]),
    .testTarget(
      name: "EtcdTests",
      dependencies: ["Etcd", "Servers", "holder", library, fenced, conformance, testing, grpc, logs, counts]),
  ]
}
