// The blocks of the article on seeing what happens.
import Foundation
import SerialTasks
import SerialTasksTesting
import Synchronization

nonisolated final class LastEvents: Sendable {
  private let ring: Mutex<(events: [TaskEvent?], next: Int)>

  init(_ count: Int) { ring = Mutex((Array(repeating: nil, count: count), 0)) }

  func note(_ event: TaskEvent) {
    _ = ring.withLock { ring in  // what it overwrites is released after the unlock
      let old = ring.events[ring.next]
      ring.events[ring.next] = event
      ring.next = (ring.next + 1) % ring.events.count
      return old
    }
  }

  var timeline: Timeline {
    let (events, next) = ring.withLock { $0 }
    return Timeline((events[next...] + events[..<next]).compactMap(\.self))
  }
}

enum DiagnosticsUse {
  static func logged(_ log: Log) -> SerialTaskExecutor {
    let orders = SerialTaskExecutor(name: "orders") { event in
      switch event.kind {
      case .rejected(.cancelled), .left(.cancelled): log("debug: \(event)")
      case .failed(let error) where error is CancellationError: log("debug: \(event)")
      case .rejected(.deadlock), .left(.deadlock): log("error: \(event)")
      case .failed: log("error: \(event)")
      case .heldTooLong: log("warning: \(event)")
      default: log("debug: \(event)")
      }
    }
    return orders
  }

  static func measured(_ record: @escaping @Sendable (String, Double) -> Void) -> SerialTaskExecutor {
    let orders = SerialTaskExecutor(name: "orders") { event in
      if let ahead = event.ahead { record("orders.ahead", Double(ahead)) }
      if let waited = event.waited, case .began = event.kind {
        record("orders.waited", waited / .seconds(1))
      }
      if let ran = event.ran { record("orders.ran", ran / .seconds(1)) }
    }
    return orders
  }

  static func drawn(_ last: LastEvents, _ log: @escaping @Sendable (String) -> Void) -> SerialTaskExecutor {
    let orders = SerialTaskExecutor(
      name: "orders", reportsTurnsLongerThan: .seconds(10)
    ) { event in
      last.note(event)
      if case .heldTooLong = event.kind { log(last.timeline.text(width: 120)) }
    }
    return orders
  }

  /// A job that the test resumes all the same.
  static func hangs(
    _ orders: SerialTaskExecutor, _ began: @escaping @Sendable (CheckedContinuation<Void, Never>) -> Void
  ) async throws {
    var lost: CheckedContinuation<Void, Never>? { didSet { began(lost!) } }
    try await orders.enqueue(name: "ship 17") {
      await withCheckedContinuation { lost = $0 }  // no code ever resumes it
    }
  }

  static func reported(_ log: (String) -> Void) {
    log("\(WaitReport.current)")
    for entry in WaitReport.current.executors {
      let longest = entry.waiting.map(\.waited).max() ?? .zero
      if longest > .seconds(30) { log("\(entry.name): a caller has waited for \(longest)") }
    }
  }

  static func printedReport() {
    print(WaitReport.current)
  }

  static func taskName(_ orders: SerialTaskExecutor) async throws -> String? {
    let job = orders.submit(name: "ship 17") { Task.name }  // "ship 17"
    return try await job.value
  }

  static func rejected(_ orders: SerialTaskExecutor, _ ship: @escaping @Sendable () async throws -> Void, _ log: Log)
    async
  {
    func print(_ error: any Error) { log("\(error)") }
    do {
      try await orders.enqueue { try await ship() }
    } catch {
      print(error)  // "The job was rejected: the executor is closed."
    }
  }
}
