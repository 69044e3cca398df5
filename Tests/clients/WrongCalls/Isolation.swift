// What the article "When it does not compile" explains; `.ci/wrong-calls` compares. Nothing here compiles.
import CoalescingTasks

/// A key that is public and does not say that it is Sendable: the mistake that the compiler finds first.
public enum Key: Hashable { case all }

// error: type 'Key' does not conform to the 'Sendable' protocol
func keys(_ notes: CoalescingTaskExecutor<Key>) {}

// error: conformance of 'AnyHashable' to 'Sendable' is unavailable
func anyKeys(_ accounts: KeyedSerialTaskExecutor<AnyHashable>) {}

// error: type 'any Hashable' cannot conform to 'Hashable'
func boxedKeys(_ accounts: KeyedSerialTaskExecutor<any Hashable>) {}

// error: type '(Int, Int)' does not conform to protocol 'Hashable'
func pairsOfKeys(_ accounts: KeyedSerialTaskExecutor<(Int, Int)>) {}

// error: cannot find type 'JobEvent' in scope
func events(_ handler: (JobEvent) -> Void) {}

final class Draft { var edits = 0 }

enum NotesError: Error { case unavailable(JobRejection), missing }

@globalActor actor Printer { static let shared = Printer() }

func otherActor(_ line: SerialTaskExecutor) async throws {
  // error: cannot convert '@Printer @Sendable () async -> Draft' to 'nonisolated(nonsending) () async throws -> Draft' because crossing of an isolation boundary requires parameter and result types to conform to 'Sendable' protocol
  print(try await line.enqueue { @Printer in Draft() })
}

final class Service: Sendable {
  let api: @Sendable (String) async throws -> Int = { $0.count }
  let profiles = TaskCoalescer<String, Int>(name: "profiles")

  func profile(_ id: String) async throws -> Int {
    // error: reference to property 'api' in closure requires explicit use of 'self' to make capture semantics explicit
    try await profiles.value(for: id) { try await api(id) }
  }
}

func typed(_ line: SerialTaskExecutor, save: () async throws(NotesError) -> Void) async throws(NotesError) {
  // error: thrown expression type 'any Error' cannot be converted to error type 'NotesError'
  try await line.enqueue(rejectedAs: NotesError.unavailable) { try await save() }
}

func noRejection(_ line: SerialTaskExecutor, save: () async throws(NotesError) -> Void) async throws(NotesError) {
  // error: cannot convert value of type 'NotesError' to expected argument type '(JobRejection) -> NotesError'
  try await line.enqueue(rejectedAs: NotesError.missing) { () async throws(NotesError) in try await save() }
  try await line.enqueue(rejectedAs: { _ in .missing }) { () async throws(NotesError) in try await save() }
}

func handles(_ line: SerialTaskExecutor) async throws {
  // error: cannot convert value of type 'SubmittedJob<Int>' to specified type 'Int'
  let count: Int = try await line.submit { 1 }
  print(count)
}

final class Sync: Sendable {
  let line = SerialTaskExecutor(name: "sync")

  func push() {}

  // error: call to method 'push' in closure requires explicit use of 'self' to make capture semantics explicit
  func start() { line.submit { push() } }

  // error: capture of 'self' in a closure that outlives deinit
  deinit { line.submit { self.push() } }
}

@MainActor final class Screen {
  var title = ""
  let line = SerialTaskExecutor(name: "saves")

  func save() {
    // error: main actor-isolated property 'title' can not be mutated from a Sendable closure
    line.submit { 1 }.whenComplete { result in self.title = "\(result)" }
    // error: converting function value of type '@MainActor @Sendable (Result<Int, any Error>) -> ()' to '@Sendable (Result<Int, any Error>) -> Void' loses global actor 'MainActor'
    line.submit { 1 }.whenComplete { @MainActor result in self.title = "\(result)" }
  }
}

func members(_ line: SerialTaskExecutor, _ notes: CoalescingTaskExecutor<String>) async throws {
  // error: value of type 'SerialTaskExecutor' has no member 'addOperation'
  line.addOperation {}
  // error: missing argument for parameter 'touching' in call
  try await notes.write(latest: "a") {}
}

func tapped(_ line: SerialTaskExecutor) {
  // error: 'async' call in a function that does not support concurrency
  try? await line.enqueue {}
}

final class Counter {
  var edits = 0

  func counted(_ line: SerialTaskExecutor) {
    // error: capture of 'self' with non-Sendable type 'Counter' in a '@Sendable' closure
    line.submit { 1 }.whenComplete { _ in self.edits += 1 }
  }
}

struct Token: Sendable { var text: String }

func refused(_ value: RenewingValue<Token>, _ token: Token) async throws {
  // error: referencing instance method 'value(insteadOf:)' on 'RenewingValue' requires that 'Token' conform to 'Equatable'
  print(try await value.value(insteadOf: token).text)
}
