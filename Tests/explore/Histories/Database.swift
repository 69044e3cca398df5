import CoalescingTasks

/// A tiny database behind an executor: three keys, each of which knows the last write to it, and everything that is asked of
/// it is written down.
package final class Database: Sendable {
  package let executor: CoalescingTaskExecutor<History.Key>
  package let log: HistoryLog
  private let versions = Versions()

  package init(_ history: History, on surroundings: Surroundings) {
    let log = HistoryLog(history, on: surroundings)
    self.log = log
    executor = CoalescingTaskExecutor(
      name: "database", capacity: history.capacity, maximumConcurrentReads: history.limit
    ) { log.reports($0) }
  }

  /// Safe because only operations touch a key, and no write of it runs beside another: that is what is being tested, and
  /// ThreadSanitizer sees whether it is true.
  private final class Versions: @unchecked Sendable {
    private var x = 0
    private var y = 0
    private var z = 0

    subscript(key: History.Key) -> Int {
      get {
        switch key {
        case .x: x
        case .y: y
        case .z: z
        }
      }
      set {
        switch key {
        case .x: x = newValue
        case .y: y = newValue
        case .z: z = newValue
        }
      }
    }

    subscript(keys: [History.Key]) -> [Int] { keys.map { self[$0] } }
  }

  /// What an operation does.
  package struct Work: Sendable {
    package let steps: Int
    package let fails: Bool
    /// Whether it lets everybody go on who can, at its end.
    package let rests: Bool
    /// Done in the middle of it; gets what the key is then.
    package var inside: (@Sendable (_ version: Int) async -> Void)?

    package init(
      steps: Int, fails: Bool = false, rests: Bool = false, inside: (@Sendable (_ version: Int) async -> Void)? = nil
    ) {
      self.steps = steps
      self.fails = fails
      self.rests = rests
      self.inside = inside
    }
  }
}

extension Database {
  /// Why a call did not return.
  enum Fault: Error {
    case thrown(History.Value)
    case rejected(JobRejection)
  }
}

// MARK: - Calls

extension Database {
  /// Reads what the last write of the key has left; `isInside` says that the call is made in a turn of other keys.
  package func read(
    _ key: History.Key, _ kind: History.Kind, _ work: Work, owner: Int = 0, isInside: Bool = false
  ) async {
    let (call, name) = log.asks(.read(key, kind), owner: owner, isInside: isInside)
    do {
      let value: History.Value
      switch kind {
      case .number:
        value = try await executor.read(key, name: name) { [self] in try await look(call, name, key, work) }
      case .text:
        value = try await executor.read(key, name: name) { [self] in
          Text(value: try await look(call, name, key, work))
        }.value
      case .typed:
        value = try await executor.read(key, name: name, rejectedAs: Fault.rejected) { [self] () async throws(Fault) in
          try await look(call, name, key, work)
        }
      }
      log.answers(call, name, .returned(value))
    } catch { log.answers(call, name, answer(error)) }
  }

  private struct Text: Sendable { let value: History.Value }

  /// Writes these keys, or every key; `isInside` says that the call is made in a turn of other keys.
  package func write(_ keys: [History.Key]?, _ work: Work, owner: Int = 0, isInside: Bool = false) async {
    let (call, name) = log.asks(.write(keys), owner: owner, isInside: isInside)
    do {
      let value: History.Value
      if let keys {
        value = try await executor.write(touching: keys, name: name) { try await change(call, name, keys, work) }
      } else {
        value = try await executor.write(name: name) { try await change(call, name, History.Key.allCases, work) }
      }
      log.answers(call, name, .returned(value))
    } catch { log.answers(call, name, answer(error)) }
  }

  @discardableResult
  package func submit(
    _ keys: [History.Key]?, _ work: Work, owner: Int = 0
  ) -> SubmittedJob<History.Value> {
    let (call, name) = log.asks(.write(keys), owner: owner, isSubmitted: true)
    let job: @Sendable () async throws -> History.Value = { [self] in
      try await change(call, name, keys ?? History.Key.allCases, work)
    }
    let handle =
      if let keys { executor.submitWrite(touching: keys, name: name, job) } else {
        executor.submitWrite(name: name, job)
      }
    handle.whenComplete { [self] result in
      switch result {
      case .success(let value): log.answers(call, name, .returned(value))
      case .failure(let error): log.answers(call, name, answer(error))
      }
    }
    return handle
  }

  package func cancel(_ handle: SubmittedJob<History.Value>) {
    log.note(handle.name ?? "?", "is cancelled by its handle")
    log.cancelsHandle(of: handle.name)
    handle.cancel()
  }

  private func answer(_ error: any Error) -> History.Answer {
    switch error {
    case Fault.thrown(let value): .failed(value)
    case Fault.rejected(let why), let why as JobRejection: .rejected(why)
    case is CancellationError: .rejected(.cancelled)
    default: preconditionFailure("no other error comes out of a call: \(error)")
    }
  }
}

// MARK: - Operations

extension Database {
  private func look(
    _ call: Int, _ name: String, _ key: History.Key, _ work: Work
  ) async throws(Fault) -> History.Value {
    log.begins(call, name, finds: versions[[key]])
    log.surroundings.point()
    for _ in 0..<work.steps {
      await log.surroundings.step()
      log.looks(call)
    }
    await rest(work)
    await work.inside?(versions[key])
    let value = History.Value(call: call, version: versions[key])
    log.ends(call, name, leaves: [value.version])
    if work.fails { throw .thrown(value) }
    return value
  }

  /// Writes at the very end, one key after the other, so that a read that comes too early finds what was.
  private func change(
    _ call: Int, _ name: String, _ keys: [History.Key], _ work: Work
  ) async throws(Fault) -> History.Value {
    log.begins(call, name, finds: versions[keys])
    for _ in 0..<work.steps { await log.surroundings.step() }
    await rest(work)
    for key in keys {
      versions[key] = call + 1
      log.surroundings.point()
    }
    await work.inside?(call + 1)
    let value = History.Value(call: call, version: call + 1)
    log.ends(call, name, leaves: versions[keys])
    if work.fails { throw .thrown(value) }
    return value
  }

  private func rest(_ work: Work) async { if work.rests { await rest() } }
}

// MARK: - Lifecycle

extension Database {
  package func pause() {
    log.note("database", "is paused")
    executor.pause()
    log.change { $0.pauses() }
  }

  /// Lets everybody go on who can.
  package func rest() async { if await log.surroundings.rest() { log.rests() } }

  package func resume() {
    log.note("database", "is resumed")
    log.change { $0.isPaused = false }
    executor.resume()
  }

  package func close() {
    log.note("database", "is closed")
    log.mark { $0.closing = $0.closing ?? $1 }
    executor.close()
    log.mark { $0.closed = $0.closed ?? $1 }
  }

  package func cancelAll() {
    log.note("database", "is cleared")
    let withdrawal = log.change { history in
      history.withdrawals.append((history.tick(), .max))
      return history.withdrawals.count - 1
    }
    executor.cancelAll()
    log.mark { $0.withdrawals[withdrawal].ended = $1 }
  }

  /// Returns whether it came to its end, and was not cancelled.
  @discardableResult
  package func drain() async -> Bool {
    let asked = log.change { $0.tick() }
    do { try await executor.drain() } catch { return false }
    log.note("database", "is drained")
    log.mark { $0.drains.append((asked, $1)) }
    return true
  }
}
