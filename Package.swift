// swift-tools-version: 6.2
import PackageDescription

// Settings for testing, read from the environment so that no client ever sees them; the tests also read SERIALTASKS_LONG and
// SERIALTASKS_WRITE (Tests/README.md):
//   SERIALTASKS_TSAN=1      a pthread mutex that ThreadSanitizer understands, in place of Synchronization.Mutex, whose contended
//                           locks it reports as races on Linux
//   SERIALTASKS_NO_PROBE=1  what the runtime does not promise is not as expected: the check of the task-local storage probe fails,
//                           and the priority of another task is not known
//   SERIALTASKS_NEWEST=1    the systems of 2025 as the floor: the tests use Task.immediate, which a Mac has since then
let settings: [SwiftSetting] =
  (Context.environment["SERIALTASKS_TSAN"] == "1" ? [.define("SERIALTASKS_TSAN")] : [])
  + (Context.environment["SERIALTASKS_NO_PROBE"] == "1" ? [.define("SERIALTASKS_NO_PROBE")] : [])

let platforms: [SupportedPlatform] =
  Context.environment["SERIALTASKS_NEWEST"] == "1"
  ? [.macOS(.v26), .iOS(.v26), .tvOS(.v26), .watchOS(.v26), .visionOS(.v26)]
  : [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)]

let package = Package(
  name: "SerialTasks",
  platforms: platforms,
  products: [
    .library(name: "SerialTasks", targets: ["SerialTasks"]),
    .library(name: "CoalescingTasks", targets: ["CoalescingTasks"]),
    .library(name: "SerialTasksTesting", targets: ["SerialTasksTesting"]),
    .library(name: "SerialTasksFenced", targets: ["SerialTasksFenced"]),
    .library(name: "SerialTasksFencedTesting", targets: ["SerialTasksFencedTesting"]),
  ],
  targets: [
    // Order: lines of jobs, and what finds their deadlocks.
    .target(name: "SerialTasks", exclude: ["WALK.md"], swiftSettings: settings),
    // Work that callers share.
    .target(name: "CoalescingTasks", dependencies: ["SerialTasks"], swiftSettings: settings),
    // Gates, a clock, a log and `waitUntil(waiting:)`, for tests of those who use the library, and for its own.
    .target(name: "SerialTasksTesting", dependencies: ["CoalescingTasks"], swiftSettings: settings),
    // A short program, which CI also links statically.
    .executableTarget(name: "example", dependencies: ["CoalescingTasks"]),
    // One turn for several processes: the protocol for engines that grant access, and locked files.
    .target(name: "SerialTasksFenced", dependencies: ["SerialTasks"], swiftSettings: settings),
    // What an engine has to promise, checked.
    .target(
      name: "SerialTasksFencedTesting", dependencies: ["SerialTasks", "SerialTasksFenced", "SerialTasksTesting"],
      swiftSettings: settings),
    .executableTarget(name: "notes", dependencies: ["CoalescingTasks", "SerialTasksTesting"], swiftSettings: settings),
    // A versioned register, for a test here, and for the soak of Tests/explore: a package of its own that compiles the same files.
    .target(
      name: "Histories", dependencies: ["CoalescingTasks"], path: "Tests/explore/Histories", swiftSettings: settings),
    // Ends the tests when they hang; and what else all of them need.
    .target(
      name: "TestWatch", dependencies: ["CoalescingTasks", "SerialTasksTesting"], path: "Tests/watch",
      swiftSettings: settings),
    .testTarget(
      name: "SerialTasksTests", dependencies: ["CoalescingTasks", "SerialTasksTesting", "Histories", "TestWatch"],
      swiftSettings: settings),
    // What is promised of each way to hand in work: the table of `Tests/PROMISES.md`.
    .testTarget(
      name: "PromiseTests",
      dependencies: [
        "CoalescingTasks", "SerialTasksTesting", "SerialTasksFenced", "SerialTasksFencedTesting", "TestWatch",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "SerialTasksTestingTests", dependencies: ["SerialTasksTesting", "TestWatch"], swiftSettings: settings),
    // A process for the tests of the one below, which start, stop and kill it.
    .executableTarget(
      name: "fenced-worker", dependencies: ["SerialTasks", "SerialTasksFenced"], path: "Tests/fenced-worker",
      swiftSettings: settings),
    .testTarget(
      name: "SerialTasksFencedTests",
      dependencies: [
        "SerialTasksFenced", "SerialTasksFencedTesting", "SerialTasksTesting", "TestWatch", "fenced-worker",
      ],
      swiftSettings: settings),
    // The code in README, articles and doc comments, compiled as a client would and run. What needs an SDK of Apple or a newer Swift is
    // compiled only there.
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "CoalescingTasks", "SerialTasksTesting", "SerialTasksFenced", "SerialTasksFencedTesting", "TestWatch",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "NotesTests", dependencies: ["example", "notes", "CoalescingTasks", "SerialTasksTesting", "TestWatch"],
      swiftSettings: settings),
  ]
)

#if os(Windows)
  // The tests, and the programs for them, use POSIX.
  let portable = [
    "SerialTasks", "CoalescingTasks", "SerialTasksTesting", "SerialTasksFenced", "SerialTasksFencedTesting", "example",
  ]
  package.targets.removeAll { !portable.contains($0.name) }
#endif
