// swift-tools-version: 6.2
import PackageDescription

// Two build settings for testing, read from the environment so that no client ever sees them (CONTRIBUTING.md):
//   SERIALTASKS_TSAN=1      a pthread mutex that ThreadSanitizer understands, in place of Synchronization.Mutex
//   SERIALTASKS_NO_PROBE=1  deadlock markers without the task-local storage probe
let settings: [SwiftSetting] =
  (Context.environment["SERIALTASKS_TSAN"] == "1" ? [.define("SERIALTASKS_TSAN")] : [])
  + (Context.environment["SERIALTASKS_NO_PROBE"] == "1" ? [.define("SERIALTASKS_NO_PROBE")] : [])

let package = Package(
  name: "SerialTasks",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "SerialTasks", targets: ["SerialTasks"])
  ],
  targets: [
    .target(name: "SerialTasks", swiftSettings: settings),
    .executableTarget(name: "notes", dependencies: ["SerialTasks"], swiftSettings: settings),
    // What happened to reads and writes, and whether it may have: for explored schedules and for real threads.
    .target(name: "Histories", dependencies: ["SerialTasks"], path: "Tests/histories", swiftSettings: settings),
    .executableTarget(
      name: "explore", dependencies: ["SerialTasks", "Histories"], path: "Tests/explore", swiftSettings: settings),
    .testTarget(name: "SerialTasksTests", dependencies: ["SerialTasks", "Histories"], swiftSettings: settings),
    // Every line of code in README, articles and doc comments, compiled as a client would and run.
    .testTarget(name: "DocumentationTests", dependencies: ["SerialTasks"], swiftSettings: settings),
    .testTarget(name: "NotesTests", dependencies: ["notes"], swiftSettings: settings),
  ]
)
