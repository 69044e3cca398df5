/// The reads of a line of keys: each is a flight that callers share, and a job of the line.
@usableFromInline
final class Reads<Key: Hashable & Sendable>: Sendable {
  @usableFromInline let line: KeyedLine<Key>

  @inlinable
  init(in line: KeyedLine<Key>) { self.line = line }
}

extension Reads: FlightOwner {
  /// Performs a read; inside a turn of this line, as a part of that turn.
  @inlinable
  nonisolated(nonsending) func read<Value: Sendable, Failure: Error>(
    _ key: Key, name: String?, priority: TaskPriority?, waitingAtMost limit: Duration? = nil,
    rejectedAs failure: (JobRejection) -> Failure,
    _ operation: sending @escaping @isolated(any) () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    if Task.isCancelled { throw failure(refuse(.cancelled, key, name)) }
    if let held = HeldTurn.innermost {
      if HeldTurn.isInside(line) {
        if line.isInside(key) { return try await operation() }
        // Another key than those of the turn: a write of it may run just now.
        let kind: Job.Kind = [.read, .first]
        let ticket = line.arrive(touching: Touched(key), kind: kind, named: name, waitingAtMost: limit)
        return try await line.performBusy(
          isolation: #isolation, ticket, touching: Touched(key), name: name, rejectedAs: failure
        ) {
          () async throws(Failure) -> Value in try await operation()
        }
      }
      asks(for: key, ReadTypes(Value.self, Failure.self), named: name, isLimited: limit != nil, in: held)
    }
    let caller = FlightCaller(name: name, priority: Task.currentPriority.rawValue)
    caller.isLimited = limit != nil
    if let limit { caller.hasNoTime = limit <= .zero }
    let boarding: Boarding<Value, Failure> = board(
      StableKey(key), caller, priority: priority?.rawValue ?? caller.priority, waitingAtMost: limit)
    switch boarding {
    case .rejected(let why): throw failure(refuse(why, key, name))
    case .joined(let flight, let escalations):
      line.carryOut(joined: flight, caller, escalations)
      if let limit { line.limit(flight, caller, to: limit) }
      watch(flight, caller)
      return try await result(of: flight, caller, rejectedAs: failure)
    case .leads(let flight, let arrival):
      line.receive(arrival, of: flight, caller)
      let marker = TurnMarker(taskOf: flight)
      let hasLanded = attach(.starting(flight, marker) { await self.fly(flight, marker, operation) }, to: flight)
      if hasLanded { return try flight.result!.get() }
      if case .waiting = arrival { watch(flight, caller) }
      if let limit { line.limit(flight, caller, to: limit) }
      return try await result(of: flight, caller, rejectedAs: failure)
    }
  }

  /// Tells a test that watches of a read that the call may share.
  @usableFromInline
  func asks(for key: Key, _ types: ReadTypes, named name: String?, isLimited: Bool, in held: HeldTurn) {
    let stake = { self.line.stake([StableKey(key).stakeKey], kind: [.read, .slot]) }
    held.asks(for: isLimited ? types.joining(stake()) : types.joined(stake()), job: name)
  }

  @usableFromInline
  func refuse(_ why: JobRejection, _ key: Key, _ name: String?) -> JobRejection {
    line.report(.rejected(why), keys: StableKey(key), name, nil)
    return why
  }

  /// Waits for the read's result, as a caller that leaves when its task is cancelled.
  @inlinable
  nonisolated(nonsending) func result<Value, Failure>(
    of flight: TypedReadFlight<Value, Failure>, _ caller: FlightCaller, rejectedAs failure: (JobRejection) -> Failure
  ) async throws(Failure) -> Value {
    await wait(for: flight, caller)
    if let why = takeRejection(of: caller) {
      if why.isOwn { line.reportLeaving(of: flight, caller, why) }
      throw failure(why)
    }
    return try flight.result!.get()
  }

  /// Waits for the read's turn, runs the operation, and publishes the result: the body of the read's task.
  @inlinable
  nonisolated(nonsending) func fly<Value, Failure>(
    _ flight: TypedReadFlight<Value, Failure>, _ marker: TurnMarker,
    _ operation: @isolated(any) () async throws(Failure) -> Value
  ) async {
    TurnMarker.bindAddress()
    // Most reads need not wait, and so make one call of an async function less.
    var begins = line.begins(flight)
    if begins == nil { begins = await line.begin(flight) }
    if begins == false { return marker.end() }
    line.report(.began, flight.read)
    do throws(Failure) { flight.result = .success(try await operation()) } catch { flight.result = .failure(error) }
    marker.end()
    if line.reports { line.report(flight.result!.outcome, flight.read) }
    line.land(flight)
  }

  @usableFromInline var clock: AnyClock { line.clock }

  @usableFromInline var stall: StallPatience? { line.stall }

  @inlinable
  func locked<Result: Sendable>(_ body: () -> Result) -> Result { line.locked { _ in body() } }

  @usableFromInline
  func leave(_ flight: Flight, _ caller: Waiter, _ why: JobRejection) { line.leave(asRead(flight), caller, why) }

  @usableFromInline
  func blockers(of flight: Flight, _ caller: Waiter) -> Blockers {
    // Safe because only callers of flights wait for flights.
    line.blockers(of: asRead(flight), unsafeDowncast(caller, to: FlightCaller.self))
  }

  @usableFromInline
  func meeting(of caller: Waiter, with turn: WaitNode) -> Meeting {
    line.meeting(of: asRead(flight(of: caller)).read, with: turn)
  }

  @usableFromInline
  func watch(_ flight: ReadFlight, _ caller: FlightCaller) {
    guard line.reports else { return }
    let keys = line.keys(of: flight.read)
    watch(flight, caller) { [line, name = caller.name, place = flight.read.place] stalled in
      line.report(stalled, keys: keys, name, place)
    }
  }

  /// Safe because only reads are waited for with this.
  private func asRead(_ flight: Flight) -> ReadFlight { unsafeDowncast(flight, to: ReadFlight.self) }
}
