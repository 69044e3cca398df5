import CoalescingTasks
import SerialTasksTesting
import Testing

/// Something with waiters, which wait until it is opened.
struct Room: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let gate: Gate
  /// The task at the gate that all others wait behind, if there is one before the first of them comes.
  var holder: Task<Void, any Error>?
  let waits: @Sendable (Int) async throws -> Void
  let count: @Sendable () -> Int
  /// Waits in a new task, which has its place when this returns.
  let come: @Sendable (Int) -> Task<Void, any Error>

  func open() async throws {
    gate.open()
    try await holder?.value
  }

  /// The kinds of rooms; each test gets a new one.
  enum Kind: String, CaseIterable, Sendable {
    case serial, submitted, keyed, key, keySet, writes, reads, coalescer, flight, reloader, renewing
  }

  static func make(_ kind: Kind) async -> Room {
    let gate = Gate()
    var room = unheld(kind, gate)
    if let holder = room.holding {
      room.room.holder = holder()
      await gate.arrived()
    }
    return room.room
  }

  private typealias Holding = @Sendable () -> Task<Void, any Error>

  private static func unheld(_ kind: Kind, _ gate: Gate) -> (room: Room, holding: Holding?) {
    func room(
      _ waits: @escaping @Sendable (Int) async throws -> Void, _ count: @escaping @Sendable () -> Int,
      come: @escaping @Sendable (Int) -> Task<Void, any Error>
    ) -> Room {
      Room(testDescription: kind.rawValue, gate: gate, waits: waits, count: count, come: come)
    }
    let (line, bank) = (SerialTaskExecutor(), KeyedSerialTaskExecutor<Int>())
    let repository = CoalescingTaskExecutor<Int>()
    let profiles = TaskCoalescer<Int, Int>()
    let holdsLine: Holding = { Task.immediate { try await line.enqueue { await gate.pass() } } }
    let holdsKey: Holding = { Task.immediate { try await bank.enqueue(for: 0) { await gate.pass() } } }
    let writes: Holding = { Task.immediate { try await repository.write { await gate.pass() } } }
    switch kind {
    case .serial:
      return (
        room({ try await line.waits(for: $0) }, { line.snapshot.waiting }) { _ in
          Task.immediate { try await line.enqueue {} }
        }, holdsLine
      )
    case .submitted:
      return (
        room({ try await line.waits(for: $0) }, { line.snapshot.waiting }) { index in
          let job = index.isMultiple(of: 2) ? line.submit {} : line.submitDetached {}
          return Task {
            try await withTaskCancellationHandler {
              try await job.value
            } onCancel: {
              job.cancel()
            }
          }
        }, holdsLine
      )
    case .keyed:
      return (
        room({ try await bank.waits(for: $0) }, { bank.snapshot.waiting }) { _ in
          Task.immediate { try await bank.enqueue(for: 0) {} }
        }, holdsKey
      )
    case .key:
      return (
        room({ try await bank.waits(for: $0, of: 0) }, { bank.snapshot(for: 0).waiting }) { _ in
          Task.immediate { try await bank.enqueue(for: 0) {} }
        }, holdsKey
      )
    case .keySet:
      return (
        room({ try await bank.waits(for: $0, of: 0) }, { bank.snapshot(for: 0).waiting }) { index in
          Task.immediate { try await bank.enqueue(forAll: [index + 1, 0]) {} }
        }, holdsKey
      )
    case .writes:
      return (
        room({ try await repository.waits(for: $0) }, { repository.snapshot.waiting }) { index in
          let touched = [[0], [0, 1], []][index % 3]
          if touched.isEmpty { return Task.immediate { try await repository.write {} } }
          let write = repository.submitWrite(latest: index, touching: touched) {}
          return Task {
            try await withTaskCancellationHandler {
              try await write.value
            } onCancel: {
              write.cancel()
            }
          }
        }, writes
      )
    case .reads:
      return (
        room({ try await repository.waits(for: $0) }, { repository.snapshot.waiting }) { index in
          Task.immediate { try await repository.read(index) {} }
        }, writes
      )
    case .coalescer:
      return (
        room({ try await profiles.waits(for: $0) }, { profiles.snapshot.waiting }) { index in
          Task.immediate {
            _ = try await profiles.value(for: index / 2) {
              await gate.pass(); return 1
            }
          }
        }, nil
      )
    case .flight:
      return (
        room({ try await profiles.waits(for: $0, of: 0) }, { profiles.snapshot.waiting }) { index in
          if index == 1 { profiles.invalidate(0) }
          return Task.immediate {
            _ = try await profiles.value(for: 0) {
              await gate.pass(); return 1
            }
          }
        }, nil
      )
    case .reloader:
      let screen = Reloader<Trigger, Int> { _ in
        await gate.pass(); return 1
      } apply: { _ in
      }
      return (
        room({ try await screen.waits(for: $0) }, { screen.snapshot.waiting }) { index in
          Task.immediate { _ = try await screen.reload(Trigger.allCases[index % 3]) }
        }, nil
      )
    case .renewing:
      let token = RenewingValue<Int> { _ in
        await gate.pass(); return Renewed(1, validFor: .seconds(60))
      }
      return (
        room({ try await token.waits(for: $0) }, { token.snapshot.waiting }) { _ in
          Task.immediate { _ = try await token.value() }
        }, nil
      )
    }
  }
}

private enum Trigger: ReloadReason, CaseIterable {
  case join, rerun, supersede

  var policy: ReloadPolicy {
    switch self {
    case .join: .join
    case .rerun: .rerun
    case .supersede: .supersede
    }
  }
}
