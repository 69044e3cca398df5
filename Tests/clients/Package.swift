// swift-tools-version: 6.2
import PackageDescription

// The library as its users see it: another package, in Swift 6 mode, with every warning an error. CLIENT_MODE compiles the
// same files the way clients differ: "nonsending" turns on NonisolatedNonsendingByDefault, "main-actor" makes the main actor
// the default isolation, "memory-safe" turns on strict memory safety, "swift-5" is the older language mode with its
// warnings on data races.
let mode = Context.environment["CLIENT_MODE"] ?? "plain"
let settings: [SwiftSetting] =
  switch mode {
  case "plain": []
  case "nonsending": [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]
  case "main-actor": [.defaultIsolation(MainActor.self)]
  case "memory-safe": [.strictMemorySafety()]
  case "swift-5":
    [.swiftLanguageMode(.v5), .enableExperimentalFeature("StrictConcurrency")]
  default: fatalError("unknown CLIENT_MODE \(mode)")
  }

let notForApps = ["DocComments", "Fenced"].map { "Shown/\($0).swift" }

let package = Package(
  name: "clients",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "SerialTasks", path: "../..")],
  targets: [
    .target(
      name: "CallSites",
      dependencies: [
        .product(name: "CoalescingTasks", package: "SerialTasks"),
        .product(name: "SerialTasksTesting", package: "SerialTasks"),
        .product(name: "SerialTasksFenced", package: "SerialTasks"),
        .product(name: "SerialTasksFencedTesting", package: "SerialTasks"),
      ],
      swiftSettings: settings + [.treatAllWarnings(as: .error)]),
    // What README, articles and doc comments show; with the main actor as default, only what an app has.
    .target(
      name: "Snippets",
      dependencies: [
        .product(name: "CoalescingTasks", package: "SerialTasks"),
        .product(name: "SerialTasksTesting", package: "SerialTasks"),
        .product(name: "SerialTasksFenced", package: "SerialTasks"),
        .product(name: "SerialTasksFencedTesting", package: "SerialTasks"),
      ],
      exclude: mode == "main-actor" ? notForApps : [],
      swiftSettings: settings + [.treatAllWarnings(as: .error)]),
  ]
)
