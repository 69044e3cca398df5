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

let library = ["CoalescingTasks", "SerialTasksTesting", "SerialTasksFenced", "SerialTasksFencedTesting"].map {
  Target.Dependency.product(name: $0, package: "SerialTasks")
}

let package = Package(
  name: "clients",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "SerialTasks", path: "../..")],
  targets: [
    .target(
      name: "CallSites", dependencies: library, swiftSettings: settings + [.treatAllWarnings(as: .error)]),
    // What README, articles and doc comments show; with the main actor as default, only what an app has.
    .target(
      name: "Snippets", dependencies: library, exclude: mode == "main-actor" ? notForApps : [],
      swiftSettings: settings + [.treatAllWarnings(as: .error)]),
  ]
)
