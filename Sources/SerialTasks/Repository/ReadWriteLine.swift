/// A line in which reads that are next to each other have the turn together.
///
/// It is a ``Line``; what is here is how a read comes into it, is shared, and goes. Whoever waits or runs keeps it alive.
@usableFromInline
final class ReadWriteLine<Key: Hashable & Sendable>: FlightOwner, Sendable {
  @usableFromInline let line: Line
  @usableFromInline let limit: Int?
  /// Reached only under the lock of the line.
  @usableFromInline let table = ReadTable<StableKey<ReadKey<Key>>>()

  init(name: String?, limit: Int?, capacity: Int?, onEvent: (@Sendable (TaskEvent) -> Void)?) {
    // Not a precondition: those say nothing in release builds.
    if let limit, limit < 1 { fatalError("maximumConcurrentReads must be at least 1, and is \(limit)") }
    self.limit = limit
    line = Line(name: name, type: "CoalescingTaskExecutor", capacity: capacity, onEvent: onEvent)
  }

  @inlinable
  func locked<Result: Sendable>(_ body: () -> Result) -> Result { line.state.withLock { _ in body() } }
}

// MARK: - Coming

extension ReadWriteLine {
  @usableFromInline
  enum Boarding<Value: Sendable, Failure: Error>: Sendable {
    @usableFromInline typealias Flight = TypedReadFlight<Key, Value, Failure>

    /// Somebody reads it already, or is about to.
    case joined(Flight, raising: Task<Void, Never>?, LineState.Raise?)
    /// The read is the caller's to start, and may have to wait for its turn.
    case leads(Flight, mustWait: Bool, LineState.Raise?)
    case rejected(JobRejection)
  }

  /// Finds the caller a read to join, or a place for its own.
  @inlinable
  func board<Value, Failure>(
    _ key: StableKey<ReadKey<Key>>, _ caller: Waiter, priority: UInt8
  ) -> Boarding<Value, Failure> {
    line.state.withLock { state in
      if state.isClosed { return .rejected(.closed) }
      if let running = table.joinable(key, in: state.openBatch) {
        // Safe because the key says of which types a read is.
        let flight = unsafeDowncast(running, to: TypedReadFlight<Key, Value, Failure>.self)
        flight.waiters.append(caller)
        return .joined(
          flight, raising: flight.raise(to: caller.priority), state.raise(flight.seat, to: caller.priority))
      }
      table.reads += 1
      let flight = TypedReadFlight<Key, Value, Failure>(
        key.numbered(table.reads), in: table, line: line, name: caller.name, priority: priority,
        urgency: caller.priority)
      let seating = state.seat(flight.seat) { Batch(limit: limit, priority: flight.seat.priority) }
      if case .rejected(let why) = seating { return .rejected(why) }
      table.insert(flight)
      flight.waiters.append(caller)
      if let floor = flight.seat.home?.floor { _ = flight.raise(to: floor) }
      if case .waiting(let raise) = seating { return .leads(flight, mustWait: true, raise) }
      return .leads(flight, mustWait: false, nil)
    }
  }
}

// MARK: - Reading

extension ReadWriteLine {
  /// The way of a caller that does not have a turn of this line already.
  @inlinable
  nonisolated(nonsending) func read<Value: Sendable, Failure: Error>(
    _ key: Key, name: String?, priority: TaskPriority?, rejectedAs failure: (JobRejection) -> Failure,
    _ operation: sending @escaping @isolated(any) () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let caller = Waiter(name: name, priority: Task.currentPriority.rawValue)
    let boarding: Boarding<Value, Failure> = board(
      StableKey(ReadKey(key, Value.self, Failure.self)), caller, priority: priority?.rawValue ?? caller.priority)
    switch boarding {
    case .rejected(let why):
      line.report(.rejected(why), name, nil)
      throw failure(why)
    case .joined(let flight, let task, let raise):
      line.carryOut(raising: task, to: caller.priority, raise)
      line.report(.joined, name, flight.seat.place)
      line.watchReader(caller, flight)
      return try await result(of: flight, caller, rejectedAs: failure)
    case .leads(let flight, let mustWait, let raise):
      if mustWait { line.carryOut(raising: nil, to: caller.priority, raise) }
      if mustWait { line.report(.waiting, name, flight.seat.place) }
      if mustWait { line.watchReader(caller, flight) }
      let marker = TurnMarker(taskOf: flight)
      let hasLanded = attach(.starting(flight, marker) { await self.fly(flight, marker, operation) }, to: flight)
      if hasLanded { return try flight.result!.get() }
      return try await result(of: flight, caller, rejectedAs: failure)
    }
  }

  /// Waits for the read's result, as a caller that leaves when its task is cancelled.
  @inlinable
  nonisolated(nonsending) func result<Value, Failure>(
    of flight: TypedReadFlight<Key, Value, Failure>, _ caller: Waiter, rejectedAs failure: (JobRejection) -> Failure
  ) async throws(Failure) -> Value {
    await wait(for: flight, caller)
    if let why = takeRejection(of: caller) {
      if why.isOwn { line.reportLeaving(of: flight, caller, why) }
      throw failure(why)
    }
    return try flight.result!.get()
  }

  /// The body of the read's task: waits for its turn, runs the operation, and publishes the result.
  @inlinable
  nonisolated(nonsending) func fly<Value, Failure>(
    _ flight: TypedReadFlight<Key, Value, Failure>, _ marker: TurnMarker,
    _ operation: @isolated(any) () async throws(Failure) -> Value
  ) async {
    TurnMarker.bindAddress()
    guard await line.begin(flight) else { return marker.end() }
    line.report(.began, flight.name, flight.seat.place)
    do throws(Failure) { flight.result = .success(try await operation()) } catch { flight.result = .failure(error) }
    marker.end()
    if line.reports { line.report(flight.result!.outcome, flight.name, flight.seat.place) }
    let aftermath = line.state.withLock { state in
      table.remove(flight)
      return flight.land(&state)
    }
    line.carryOut(aftermath)
  }

  @usableFromInline
  func leave(_ flight: Flight, _ caller: Waiter, _ why: JobRejection) { line.leave(read(flight), caller, why) }

  @usableFromInline
  func blockers(of flight: Flight, _ caller: Waiter) -> Blockers { line.blockers(of: read(flight), caller) }

  /// Safe because only reads are waited for with this.
  private func read(_ flight: Flight) -> ReadFlight { unsafeDowncast(flight, to: ReadFlight.self) }
}
