import CoalescingTasks

/// Keeps account of every call and every renewal of one renewing value, and checks its promises at each event.
///
/// A renewal runs with the task-locals of the call that started it, and so is known by that call.
///
/// Safe because all of it is reached only from the one thread that the explorer uses.
final class RenewLog: @unchecked Sendable {
  /// What a renewal returns: its number.
  struct Token: Equatable { let number: UInt64 }

  /// Thrown by renewals; a class, to see that it comes back as the same instance.
  final class RenewError: Error {}

  /// What a renewal that a call starts does.
  struct Work {
    let steps: Int
    let error: RenewError?
    let validity: Int

    init(_ random: inout SplitMix, failsOnceIn times: Int = 4, validFor validity: ClosedRange<Int> = 0...12) {
      steps = random.below(4)
      error = random.once(in: times) ? RenewError() : nil
      self.validity = random.within(validity)
    }
  }

  struct Call {
    let name: String
    let rejected: UInt64?
    let work: Work
    let wasCancelled: Bool
    /// The moments, in events.
    let asked: Int
    var cancelled: Int?
    var boarded = 0
    /// The newest value that any call had returned when this one began.
    let floor: UInt64
    /// Whether there was certainly a value for it.
    let mustBeServed: Bool
    var mustBeWithdrawn = false
    /// The first time that it read from the clock.
    var reading: Int?
    /// The renewal that it started or joined.
    var renewal: Int?
    var isAnswered = false
  }

  struct Renewal {
    let owner: Int
    let number: UInt64
    let registered: Int
    /// When it was started, by the clock.
    let began: Int?
    var runs = 0
    var hasEnded = false
    var isFinished = false
    /// What it read from the clock when it had ended.
    var landed: Int?
    var isCleared = false
    /// Whether `clear()` has returned since.
    var isToldToStop = false
    /// The last moment at which it ran and no task was in the middle of anything.
    var quiet = 0
    /// While it runs.
    var task: UnsafeCurrentTask?
  }

  enum Caller { @TaskLocal static var call: Int? }

  let world: World
  let clock: FlightClock
  let renewAhead: Int
  let joinWindow: Int?
  private(set) var token: RenewingValue<Token>!
  var calls: [Call] = []
  var renewals: [Renewal] = []
  /// When `clear()` was called, and when it had returned.
  var clears: [(began: Int, ended: Int?)] = []
  /// The newest value that any call has returned.
  var newest: UInt64 = 0
  private var moment = 0

  init(_ world: World, renewAhead: Int = 0, joinWindow: Int? = nil, isHesitant: Bool = false) {
    self.world = world
    self.renewAhead = renewAhead
    self.joinWindow = joinWindow
    clock = FlightClock(world, isHesitant: isHesitant)
    token = RenewingValue(
      name: "token", renewAhead: .milliseconds(renewAhead), joinWindow: joinWindow.map { .milliseconds($0) },
      clock: clock, renew: { [unowned self] in try await self.renew($0) },
      onEvent: { [unowned self] in self.report($0) })
    world.watch(token, "the value")
    world.probeLock { [unowned token] in _ = token?.snapshot }
  }

  /// The next moment.
  func tick() -> Int {
    moment += 1
    return moment
  }
}

// MARK: - The calls that models make

extension RenewLog {
  /// Asks, for a newer value than the rejected one if there is one; returns the value.
  @discardableResult
  func call(_ name: String, insteadOf rejected: UInt64? = nil, _ work: Work) async -> UInt64? {
    world.note(name, rejected == nil ? "asks" : "asks instead of", rejected.map { "\($0)" } ?? "")
    let mustBeServed = rejected == nil && isValid
    calls.append(
      Call(
        name: name, rejected: rejected, work: work, wasCancelled: Task.isCancelled, asked: tick(), floor: newest,
        mustBeServed: mustBeServed))
    let call = calls.count - 1
    if Task.isCancelled { calls[call].cancelled = tick() }
    clock.onReading = { self.calls[call].reading = $0 }
    do {
      let value = try await Caller.$call.withValue(call) {
        guard let rejected else { return try await token.value() }
        return try await token.value(insteadOf: Token(number: rejected))
      }
      returns(call, value.number)
      return value.number
    } catch {
      fails(call, error)
      return nil
    }
  }

  /// Whether there certainly is a valid value.
  private var isValid: Bool {
    guard !clock.isHesitant, clears.isEmpty, let last = renewals.last(where: { $0.landed != nil }) else { return false }
    return clock.milliseconds < last.landed! + calls[last.owner].work.validity
  }

  /// Cancels the task that asks wherever the strategy places it.
  func cancelAnywhere(_ task: Task<Void, Never>, _ name: String) {
    world.cancelAnywhere(name, task) {
      for call in self.calls.indices where self.calls[call].name.hasPrefix(name) {
        if self.calls[call].cancelled == nil { self.calls[call].cancelled = self.tick() }
      }
    }
  }

  func clear() {
    world.note("token", "is cleared")
    clears.append((began: tick(), ended: nil))
    let (clear, wanted) = (
      clears.count - 1, renewals.indices.filter { !renewals[$0].isFinished && !renewals[$0].isCleared }
    )
    for renewal in wanted { renewals[renewal].isCleared = true }
    // Not so certain of one that may have been given the old value, or that of a newer renewal.
    for call in calls.indices where renewAhead == 0 && joinWindow == nil && calls[call].cancelled == nil {
      if let renewal = calls[call].renewal, wanted.contains(renewal), !calls[call].isAnswered {
        calls[call].mustBeWithdrawn = true
      }
    }
    // Who renews behind its call may be in the middle of starting that, and cancels it when it goes on.
    let started = wanted.filter { renewAhead == 0 || calls[renewals[$0].owner].isAnswered }
    token.clear()
    for renewal in started where !isOvertaken(renewal) { renewals[renewal].isToldToStop = true }
    clears[clear].ended = tick()
  }

  /// Whether it may be that no caller waits for it any more, because a newer one has landed.
  private func isOvertaken(_ renewal: Int) -> Bool { renewals[(renewal + 1)...].contains(where: \.hasEnded) }
}

// MARK: - A renewal, from its first instruction to its last

extension RenewLog {
  private func renew(_ previous: Token?) async throws -> Renewed<Token> {
    guard let call = Caller.call, let index = renewals.lastIndex(where: { $0.owner == call }) else {
      world.expect(false, "a renewal is reported before it runs")
      throw CancellationError()
    }
    let (name, work) = (calls[call].name, calls[call].work)
    world.note(name, "renews", "\(renewals[index].number)")
    renewals[index].runs += 1
    renewals[index].task = withUnsafeCurrentTask { $0 }
    world.expect(renewals[index].runs == 1, "a renewal runs once", name)
    world.expect(
      !renewals[index].isToldToStop || Task.isCancelled, "a renewal that was cleared does not begin", name)
    if clears.isEmpty {
      world.expect((previous?.number ?? 0) >= newest, "a renewal is given the newest value", name)
      let others = renewals.indices.filter { $0 != index && renewals[$0].runs == 1 && !renewals[$0].hasEnded }
      world.expect(others.isEmpty || joinWindow != nil, "one renewal at a time", name)
    }
    world.point()
    for _ in 0..<work.steps {
      await world.step()
      look(index)
    }
    renewals[index].hasEnded = true
    renewals[index].task = nil
    world.note(name, "has renewed")
    if let error = work.error { throw error }
    return Renewed(Token(number: renewals[index].number), validFor: .milliseconds(work.validity))
  }

  /// What a renewal sees when it goes on after a suspension.
  private func look(_ index: Int) {
    let name = calls[renewals[index].owner].name
    if Task.isCancelled {
      world.expect(renewals[index].isCleared, "a renewal runs to its end, even if callers leave", name)
    } else {
      world.expect(!renewals[index].isToldToStop, "a renewal that was cleared is cancelled", name)
    }
    if world.isQuiet { renewals[index].quiet = tick() }
  }
}
