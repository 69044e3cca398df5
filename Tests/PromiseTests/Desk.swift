import CoalescingTasks
import SerialTasksFenced
import SerialTasksFencedTesting
import SerialTasksTesting

/// A type that runs work, as the table drives it.
protocol Desk: AnyObject, Sendable {
  static var type: String { get }
  /// What all its ways have in common.
  static var traits: Way.Traits { get }
  /// How many calls wait, and how many jobs run.
  var counts: Counts { get }
  /// Runs a job that conflicts with all others.
  nonisolated(nonsending) func exclusively(_ name: String?, _ job: nonisolated(nonsending) () async -> Void)
    async throws
  /// Runs a job that conflicts with no work of the table.
  nonisolated(nonsending) func elsewhere(_ name: String?, _ job: nonisolated(nonsending) () async -> Void) async throws
  nonisolated(nonsending) func waitUntil(waiting count: Int) async throws
  nonisolated(nonsending) func drain() async throws
  nonisolated(nonsending) func shutDown(within limit: Duration) async -> Bool
  func pause()
  nonisolated(nonsending) func pauseAndWait() async throws
  func resume()
  /// Whether the running code is in a turn of the work.
  var isInTurn: Bool { get }
  func close()
  func withdrawAll()
}

struct Counts: Equatable, Sendable {
  var waiting = 0
  var running = 0
}

extension Desk {
  static var traits: Way.Traits { .isInLine }
  nonisolated(nonsending) func exclusively(
    _ name: String?, _ job: nonisolated(nonsending) () async -> Void
  ) async throws { preconditionFailure("\(Self.type) has no line") }
  nonisolated(nonsending) func elsewhere(
    _ name: String?, _ job: nonisolated(nonsending) () async -> Void
  ) async throws { preconditionFailure("\(Self.type) has no keys in a line") }
  var isInTurn: Bool { preconditionFailure("\(Self.type) has no turns") }
  func pause() { preconditionFailure("\(Self.type) cannot pause") }
  nonisolated(nonsending) func pauseAndWait() async throws { preconditionFailure("\(Self.type) cannot pause") }
  func resume() { preconditionFailure("\(Self.type) cannot pause") }
}

extension SerialTaskExecutor: Desk {
  static var type: String { "SerialTaskExecutor" }
  static var traits: Way.Traits { [.isInLine, .isWhole] }
  nonisolated func withdrawAll() { cancelAll() }
  nonisolated var isInTurn: Bool { isInJob }
  nonisolated var counts: Counts { Counts(waiting: snapshot.waiting, running: snapshot.running) }
  nonisolated(nonsending) func exclusively(
    _ name: String?, _ job: nonisolated(nonsending) () async -> Void
  ) async throws { try await enqueue(name: name, job) }
}

extension KeyedSerialTaskExecutor<String>: Desk {
  static var type: String { "KeyedSerialTaskExecutor" }
  static var traits: Way.Traits { [.isInLine, .hasSlots] }
  var isInTurn: Bool { isInJob(for: "k") }
  func withdrawAll() { cancelAll() }
  var counts: Counts { Counts(waiting: snapshot.waiting, running: snapshot.running) }
  nonisolated(nonsending) func exclusively(
    _ name: String?, _ job: nonisolated(nonsending) () async -> Void
  ) async throws { try await enqueue(for: "k", name: name, job) }
  nonisolated(nonsending) func elsewhere(
    _ name: String?, _ job: nonisolated(nonsending) () async -> Void
  ) async throws { try await enqueue(for: "z", name: name, job) }
}

extension CoalescingTaskExecutor<String>: Desk {
  static var type: String { "CoalescingTaskExecutor" }
  static var traits: Way.Traits { [.isInLine, .hasSlots] }
  var isInTurn: Bool { isInJob }
  func withdrawAll() { cancelAll() }
  var counts: Counts {
    let snapshot = snapshot
    return Counts(waiting: snapshot.waiting, running: snapshot.running)
  }
  nonisolated(nonsending) func exclusively(
    _ name: String?, _ job: nonisolated(nonsending) () async -> Void
  ) async throws { try await write(touching: ["k"], name: name, job) }
  nonisolated(nonsending) func elsewhere(
    _ name: String?, _ job: nonisolated(nonsending) () async -> Void
  ) async throws { try await write(touching: ["z"], name: name, job) }
}

extension FencedSerialTaskExecutor<String>: Desk {
  static var type: String { "FencedSerialTaskExecutor" }
  static var traits: Way.Traits { [.isInLine, .asksForAccess] }
  var isInTurn: Bool { isInJob(for: "k") }
  func withdrawAll() { cancelAll() }
  var counts: Counts { Counts(waiting: snapshot.waiting, running: snapshot.running) }
  nonisolated(nonsending) func exclusively(
    _ name: String?, _ job: nonisolated(nonsending) () async -> Void
  ) async throws { try await enqueue(for: "k", name: name) { _ in await job() } }
  nonisolated(nonsending) func elsewhere(
    _ name: String?, _ job: nonisolated(nonsending) () async -> Void
  ) async throws { try await enqueue(for: "z", name: name) { _ in await job() } }
}

extension TaskCoalescer<String, Int>: Desk {
  static var type: String { "TaskCoalescer" }
  static var traits: Way.Traits { .isShared }
  func withdrawAll() { cancelAll() }
  var counts: Counts { Counts(waiting: snapshot.waiting, running: snapshot.running) }
}

/// A reloader or a kept value whose operation is the work that was handed in last.
final class Operated<Subject: Sendable>: Sendable {
  let subject: Subject
  let box: WorkBox

  init(_ make: (WorkBox) -> Subject) {
    box = WorkBox(nil)
    subject = make(box)
  }
}

typealias WorkBox = Box<Work?>

extension WorkBox {
  func run() async throws -> Int { try await value!.job() }
}

enum Trigger: ReloadReason {
  case join, rerun, supersede
  var policy: SharingPolicy { self == .join ? .join : self == .rerun ? .rerun : .supersede }
}

extension Operated: Desk where Subject: Drivable {
  static var type: String { Subject.type }
  static var traits: Way.Traits { Subject.traits }
  var counts: Counts { subject.counts }
  nonisolated(nonsending) func waitUntil(waiting count: Int) async throws {
    try await subject.waitUntil(waiting: count)
  }
  nonisolated(nonsending) func drain() async throws { try await subject.drain() }
  nonisolated(nonsending) func shutDown(within limit: Duration) async -> Bool { await subject.shutDown(within: limit) }
  func close() { subject.close() }
  func withdrawAll() { subject.cancelAll() }
}

/// What `Operated` forwards to.
protocol Drivable: Drainable {
  static var type: String { get }
  static var traits: Way.Traits { get }
  var counts: Counts { get }
  nonisolated(nonsending) func waitUntil(waiting count: Int) async throws
}

extension Reloader<Trigger, Int>: Drivable {
  static var type: String { "Reloader" }
  static var traits: Way.Traits { [.isShared, .isOfTheType] }
  var counts: Counts { Counts(waiting: snapshot.waiting, running: snapshot.running) }
}

extension RenewingValue<Int>: Drivable {
  static var type: String { "RenewingValue" }
  static var traits: Way.Traits { [.isShared, .isOfTheType, .runsToItsEnd] }
  var counts: Counts { Counts(waiting: snapshot.waiting, running: snapshot.running) }
}
