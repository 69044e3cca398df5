import SerialTasks
import SerialTasksFenced

typealias Bank = FencedSerialTaskExecutor<String>

/// The callers of an executor, each started when the one before it has its place or its turn.
struct Callers {
  let bank: Bank
  /// Who ran, and under which fences: `a 1`, or `a 1 2` of two keys.
  let log = Log<String>()

  init(_ bank: Bank) { self.bank = bank }

  init(_ engine: Engine) { self.init(Bank(access: engine)) }

  /// A caller that has its place, or its turn, when this returns: `Task.immediate` runs to the first suspension.
  @discardableResult
  func call(
    _ name: String, for keys: String..., within limit: Duration? = nil,
    _ job: @escaping @Sendable () async throws -> Void = {}
  ) -> Task<Void, any Error> {
    Task.immediate {
      if keys.count > 1 {
        try await bank.enqueue(touching: keys, name: name, waitingAtMost: limit) { fences in
          log("\(name) \(fences.sorted { $0.key < $1.key }.map { "\($0.value.number)" }.joined(separator: " "))")
          try await job()
        }
      } else {
        try await bank.enqueue(for: keys.first ?? "k", name: name, waitingAtMost: limit) { fence in
          log("\(name) \(fence.number)")
          try await job()
        }
      }
    }
  }

  /// A caller whose job runs until the gate is opened.
  func hold(_ name: String, for key: String = "k", at gate: Gate) async -> Task<Void, any Error> {
    let caller = call(name, for: key) { await gate.pass() }
    await gate.waitForArrivals()
    return caller
  }
}

extension Bank {
  /// The number of the fence under which a job runs.
  func number(_ key: String = "k") async throws -> UInt64 { try await enqueue(for: key) { $0.number } }
}

extension TaskEvent {
  /// The job, what happened to it, and in seconds how long it waited and ran: `a finished 3 4`.
  var words: String {
    let times = [waited, ran].map { $0.map { "\($0.components.seconds)" } ?? "-" }
    let what =
      switch kind {
      case .rejected(.late): "late"
      case .rejected(.withdrawn): "withdrawn"
      case .rejected(.cancelled): "cancelled"
      case .rejected: "rejected"
      case .failed: "failed"
      default: "\(kind)"
      }
    return "\(job ?? "-") \(what) \(times.joined(separator: " "))"
  }
}
