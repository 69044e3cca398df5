/// The reads of a keyed line, each a job and a flight that callers share; and its writes that replace each other.
@usableFromInline
final class Reads<Key: Hashable & Sendable>: Sendable {
  @usableFromInline let line: KeyedLine<Key>
  /// The writes that a newer one may replace, by their `latest` keys; accessed only under the lock of the line.
  @usableFromInline let latest = Lock<[StableKey<Key>: Series]>([:])

  @inlinable
  init(in line: KeyedLine<Key>) { self.line = line }
}

extension Reads: FlightOwner {
  @usableFromInline typealias Boarded = ReadFlight
  @usableFromInline typealias Guest = FlightCaller<ReadFlight>

  @_alwaysEmitIntoClient @inline(__always)
  nonisolated(nonsending) func read<Value: Sendable, Failure: Error>(
    _ key: Key, name: String?, priority: TaskPriority?, waitingAtMost limit: Duration? = nil,
    rejectedAs failure: (JobRejection) -> Failure,
    _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) async throws(Failure) -> Value {
    // Safe because the closure is passed on once.
    nonisolated(unsafe) let operation = operation
    let held = HeldTurn.innermost
    if held != nil, HeldTurn.isInside(line) {
      return try await readInTurn(key, name: name, waitingAtMost: limit, rejectedAs: failure, operation)
    }
    let caller = FlightCaller<ReadFlight>(name: name, priority: Task.currentPriority.rawValue, isLimited: limit != nil)
    let why = await wait(caller) {
      depart(
        key, caller, ReadTypes(Value.self, Failure.self), inside: held, priority: priority, waitingAtMost: limit,
        operation)
    }
    if let why { throw failure(why) }
    let flight = caller.flight as! TypedReadFlight<Value>
    return try flight.result!.typed(as: Failure.self).get()
  }

  /// Not inlined: reads outside of turns do not pay for its frame.
  @_alwaysEmitIntoClient @inline(never)
  nonisolated(nonsending) func readInTurn<Value: Sendable, Failure: Error>(
    _ key: Key, name: String?, waitingAtMost limit: Duration?, rejectedAs failure: (JobRejection) -> Failure,
    _ operation: @escaping @isolated(any) () async throws -> Value
  ) async throws(Failure) -> Value {
    if Task.isCancelled { throw failure(refuse(.cancelled, key, name)) }
    // Safe, here and below, because the operation throws no other type.
    if line.isInside(key) {
      do { return try await operation() } catch { throw error as! Failure }
    }
    // The turn does not touch this key: a write of the key may be running.
    return try await line.perform(
      touching: Touched(key), kind: .read, name: name, waitingAtMost: limit,
      rejectedBy: { (why) throws(Failure) in throw failure(why) }
    ) { () async throws(Failure) -> Value in
      do { return try await operation() } catch { throw error as! Failure }
    }
  }

  @_alwaysEmitIntoClient @inline(never)
  func depart<Value: Sendable>(
    _ key: Key, _ caller: FlightCaller<ReadFlight>, _ types: ReadTypes, inside held: HeldTurn?, priority: TaskPriority?,
    waitingAtMost limit: Duration?, _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) -> Arrival {
    if Task.isCancelled { return .rejected(refuse(.cancelled, key, caller.name)) }
    if let held {
      asks(for: key, types, named: caller.name, isLimited: limit != nil, in: held)
    }
    let boarding: Boarding<Value> = board(
      StableKey(key), caller, types, priority: priority?.rawValue ?? caller.priority, waitingAtMost: limit
    ) { caller.flight = $0 }
    switch boarding {
    case .rejected(let why): return .rejected(refuse(why, key, caller.name))
    case .joined(let flight, let effects):
      line.carryOut(joined: flight, caller, effects)
      if let limit { line.limit(flight, caller, to: limit) }
      line.noteStart(of: caller)
      return .waiting(ahead: 0)
    case .leads(let flight, let arrival, let effects):
      line.receive(arrival, of: flight, caller, effects)
      let marker = TurnMarker(taskOf: flight)
      let arrival = attach(
        .starting(flight, marker) { await self.fly(flight, marker, operation) }, in: marker, to: flight, for: caller)
      guard arrival.isWait else { return arrival }
      if let limit { line.limit(flight, caller, to: limit) } else { line.noteStart(of: caller) }
      return arrival
    }
  }

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

  @_alwaysEmitIntoClient
  nonisolated(nonsending) func fly<Value>(
    _ flight: TypedReadFlight<Value>, _ marker: TurnMarker, _ operation: @isolated(any) () async throws -> Value
  ) async {
    TurnMarker.bindAddress()
    // Most reads need not wait, and save an async call.
    var begins = line.begins(flight)
    if begins == nil { begins = await line.begin(flight) }
    if begins == false { return marker.end() }
    line.report(.began, flight.read)
    do { flight.result = .success(try await operation()) } catch { flight.result = .failure(error) }
    marker.end()
    if line.reports { line.report(flight.result!.outcome, flight.read) }
    line.land(flight)
  }

  @usableFromInline var clock: AnyClock { line.clock }

  @_alwaysEmitIntoClient
  func locked<Result: Sendable>(_ body: () -> Result) -> Result { line.locked { _ in body() } }

  // Each caller has boarded a read when it may wait.

  @usableFromInline
  func leave(_ caller: FlightCaller<ReadFlight>, _ why: JobRejection) { line.leave(caller, why) }

  @usableFromInline
  func blockers(of caller: FlightCaller<ReadFlight>) -> Blockers { line.blockers(of: caller.flight!, caller) }

  @usableFromInline
  func meeting(of caller: FlightCaller<ReadFlight>, with turn: WaitNode) -> Meeting {
    line.meeting(of: caller.flight!.read, with: turn)
  }

  @_alwaysEmitIntoClient var reports: Bool { line.reports }

  @usableFromInline
  func report(_ kind: TaskEvent.Kind, of flight: ReadFlight, _ caller: FlightCaller<ReadFlight>) {
    if case .left(let why) = kind { line.reportLeaving(of: flight, caller, why) }
  }
}

extension Result where Failure == any Error {
  /// Returns the result with the error type of the operation.
  ///
  /// It was stored untyped: a generic type would need a wrapper, one allocation and two more frames.
  ///
  /// Safe because the stored closure throws no other type.
  @_alwaysEmitIntoClient
  func typed<Thrown: Error>(as _: Thrown.Type) -> Result<Success, Thrown> { mapError { $0 as! Thrown } }
}
