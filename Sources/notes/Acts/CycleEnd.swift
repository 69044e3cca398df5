import SerialTasks

/// What became of a call that closes a cycle of waits.
enum CycleEnd {
  case rejected(DeadlockError)
  case ended
  case failed(String)

  /// Makes the call, and says how it ended.
  init(of call: nonisolated(nonsending) () async throws -> Void) async {
    do {
      try await call()
      self = .ended
    } catch JobRejection.deadlock(let deadlock) { self = .rejected(deadlock) } catch { self = .failed("\(error)") }
  }

  /// What is wrong with it; `nil` if the call was rejected as a deadlock.
  var problem: String? {
    switch self {
    case .rejected: nil
    case .ended: "The call was not rejected, and should have been."
    case .failed(let reason): "The call failed in another way than it should have: \(reason)"
    }
  }
}

extension [String] {
  /// The names along a path, as errors and reports write it.
  var path: String { joined(separator: " → ") }
}
