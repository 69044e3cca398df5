import Foundation
import SerialTasksFenced

/// A way to let one process at a time work on a key.
enum Candidate: String, CaseIterable {
  case fenced
  case kept = "fenced-kept"
  case oneJobPerGrant = "fenced-1"
  case flock
  case flockWithFence = "flock-fence"

  var title: String {
    switch self {
    case .fenced: "FencedSerialTaskExecutor, 100 jobs a grant"
    case .kept: "FencedSerialTaskExecutor, 100 jobs a grant, kept for 50 ms"
    case .oneJobPerGrant: "FencedSerialTaskExecutor, 1 job a grant"
    case .flock: "flock by hand, without a fence"
    case .flockWithFence: "flock by hand, with a counter and fsync"
    }
  }

  /// Runs jobs on the keys until the time is over; returns how many.
  func run(in folder: String, keys: Int, until end: ContinuousClock.Instant) async throws -> Int {
    switch self {
    case .fenced: try await runFenced(folder, keys, jobsPerAccess: 100, end)
    case .kept: try await runFenced(folder, keys, jobsPerAccess: 100, keeping: .milliseconds(50), end)
    case .oneJobPerGrant: try await runFenced(folder, keys, jobsPerAccess: 1, end)
    case .flock: try runByHand(folder, keys, isFenced: false, end)
    case .flockWithFence: try runByHand(folder, keys, isFenced: true, end)
    }
  }

  /// As many callers as a busy process may have.
  private static let callers = 16

  private func runFenced(
    _ folder: String, _ keys: Int, jobsPerAccess: Int, keeping: Duration = .zero, _ end: ContinuousClock.Instant
  ) async throws -> Int {
    let executor = FencedSerialTaskExecutor<String>(
      name: "benchmark", access: try LockFolder("\(folder)/locks"), jobsPerAccess: jobsPerAccess,
      keepsAccessFor: keeping)
    let jobs = try await withThrowingTaskGroup(of: Int.self) { group in
      for caller in 0..<Candidate.callers {
        group.addTask {
          var jobs = 0
          while ContinuousClock.now < end {
            let key = (caller + jobs * Candidate.callers) % keys
            try await executor.enqueue(for: "\(key)") { _ in try work(folder, key) }
            jobs += 1
          }
          return jobs
        }
      }
      return try await group.reduce(0, +)
    }
    try await executor.drain()
    return jobs
  }

  /// A thread that locks, works and unlocks: what it costs at least, where only other processes wait.
  private func runByHand(_ folder: String, _ keys: Int, isFenced: Bool, _ end: ContinuousClock.Instant) throws -> Int {
    var jobs = 0
    while ContinuousClock.now < end {
      let key = jobs % keys
      let file = open("\(folder)/locks/\(key)", O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
      guard file >= 0, lock(file) else { throw CocoaError(.fileLocking) }
      defer { close(file) }
      if isFenced {
        try count(file)
        guard fsync(file) == 0 else { throw CocoaError(.fileWriteUnknown) }
      }
      try work(folder, key)
      jobs += 1
    }
    return jobs
  }
}

/// Outside of the candidates, of which one has the name of the call.
private func lock(_ file: Int32) -> Bool { flock(file, LOCK_EX) == 0 }

/// Reads a number and writes the next one, which is the job: two at once would lose one.
func work(_ folder: String, _ key: Int) throws {
  let file = open("\(folder)/store/\(key)", O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
  guard file >= 0 else { throw CocoaError(.fileReadUnknown) }
  defer { close(file) }
  try count(file)
}

@discardableResult
func count(_ file: Int32) throws -> UInt64 {
  var number: UInt64 = 0
  guard pread(file, &number, 8, 0) >= 0 else { throw CocoaError(.fileReadUnknown) }
  number += 1
  guard pwrite(file, &number, 8, 0) == 8 else { throw CocoaError(.fileWriteUnknown) }
  return number
}
