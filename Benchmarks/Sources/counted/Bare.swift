import Mix
import Synchronization

// The least that a case can be made of if its main promises are to be kept: who waits leaves when its task is cancelled, and so
// has a node in a list behind a mutex; callers go on in order; a turn is marked by a task-local; a flight is found by its key.
// There are no names, priorities, events, clocks and searches for deadlocks, no operation is cancelled because all have left,
// and none has an isolation of its own.

/// Callers that wait for something, in order; each leaves when its task is cancelled.
private final class Room: Sendable {
  final class Caller: @unchecked Sendable {
    // Safe because all is reached only under the mutex of the room, or by the caller's task once it goes on.
    enum State { case waiting, granted, cancelled }
    var state = State.waiting
    var continuation: UnsafeContinuation<Void, Never>?
    var next: Caller?
    unowned(unsafe) var previous: Caller?
  }

  struct List: Sendable {
    var first: Caller?
    var last: Caller?
    /// Whether the next caller need not wait.
    var isFree = false
    /// Whether no caller has to wait any more.
    var isOpen = false

    mutating func append(_ caller: Caller) {
      caller.previous = last
      if let last { last.next = caller } else { first = caller }
      last = caller
    }

    mutating func grantFirst() -> UnsafeContinuation<Void, Never>? {
      guard let caller = first else { return nil }
      remove(caller)
      caller.state = .granted
      return caller.continuation.take()
    }

    mutating func remove(_ caller: Caller) {
      let (next, previous) = (caller.next.take(), caller.previous)
      caller.previous = nil
      if let next { next.previous = previous } else { last = previous }
      if let previous { previous.next = next } else { first = next }
    }
  }

  let list = Mutex(List())

  /// Returns whether the caller's turn has come, and its task was not cancelled before.
  func wait() async -> Bool {
    let caller = Caller()
    await withTaskCancellationHandler {
      await withUnsafeContinuation { if !park(caller, $0) { $0.resume() } }
    } onCancel: {
      leave(caller)
    }
    return caller.state == .granted
  }

  @inline(never)
  private func park(_ caller: Caller, _ continuation: UnsafeContinuation<Void, Never>) -> Bool {
    list.withLock { list in
      guard caller.state == .waiting else { return false }
      if list.isOpen || list.isFree {
        list.isFree = false
        caller.state = .granted
        return false
      }
      caller.continuation = continuation
      list.append(caller)
      return true
    }
  }

  @inline(never)
  private func leave(_ caller: Caller) {
    let continuation = list.withLock { list -> UnsafeContinuation<Void, Never>? in
      guard caller.state == .waiting else { return nil }
      caller.state = .cancelled
      guard let continuation = caller.continuation.take() else { return nil }
      list.remove(caller)
      return continuation
    }
    continuation?.resume()
  }

  /// Hands the turn to the first.
  @inline(never)
  func handOn() {
    let next = list.withLock { list in
      let next = list.grantFirst()
      if next == nil { list.isFree = true }
      return next
    }
    next?.resume()
  }

  /// Lets all go on who wait or will.
  @inline(never)
  func open() {
    let all = list.withLock { list in
      list.isOpen = true
      var all: [UnsafeContinuation<Void, Never>] = []
      while let next = list.grantFirst() { all.append(next) }
      return all
    }
    for next in all { next.resume() }
  }
}

/// Each hands the turn to the next, and runs with a task-local bound.
func runHandOverBare(_ times: Int, handsOver: Bool) async {
  let room = Room()
  let callers = (0..<times).map { _ in
    Task.immediate {
      guard await room.wait() else { return }
      await Local.$number.withValue(1) { _ = await operation() }
      room.handOn()
    }
  }
  guard handsOver else { return keep(room) }
  room.handOn()
  for caller in callers { await caller.value }
}

/// All callers come at once.
func runSuspendingBare(_ times: Int) async {
  let room = Room()
  room.handOn()
  await crowd(times) { _ in
    guard await room.wait() else { return }
    await Local.$number.withValue(1) { await Task.yield() }
    room.handOn()
  }
}

/// A room for each key that is used.
private final class Rooms: Sendable {
  private struct Entry: Sendable {
    let room = Room()
    var callers = 0
  }

  private let rooms = Mutex<[Int: Entry]>([:])

  @inline(never)
  func enter(_ key: Int) -> Room {
    let (room, isNew) = rooms.withLock { rooms in
      rooms[key, default: Entry()].callers += 1
      let entry = rooms[key]!
      return (entry.room, entry.callers == 1)
    }
    if isNew { room.handOn() }
    return room
  }

  @inline(never)
  func leave(_ key: Int) {
    rooms.withLock { rooms in
      rooms[key]!.callers -= 1
      if rooms[key]!.callers == 0 { rooms[key] = nil }
    }
  }
}

func runSuspendingKeyBare(_ times: Int) async {
  let rooms = Rooms()
  await crowd(times) { number in
    let room = rooms.enter(number % 100)
    guard await room.wait() else { return }
    await Local.$number.withValue(1) { await Task.yield() }
    room.handOn()
    rooms.leave(number % 100)
  }
}

/// Jobs with a handle each, which has a result and can be cancelled; each has its place before the next is submitted.
func runSuspendingSubmitBare(_ times: Int) async {
  let room = Room()
  let tasks = (0..<times).map { _ in
    Task.immediate {
      guard await room.wait() else { return }
      await Local.$number.withValue(1) { await Task.yield() }
      room.handOn()
    }
  }
  room.handOn()
  for task in tasks { await task.value }
}

/// Operations that callers share, by key; each runs in a task of its own, and its callers wait in a room.
private final class Flights: Sendable {
  final class Flight: @unchecked Sendable {
    // Safe because the result is written before the flight lands under the mutex, and read after that.
    let room = Room()
    var result = 0
    var hasLanded = false
  }

  let flights = Mutex<[Int: Flight]>([:])

  func value(for key: Int, _ operation: @escaping @Sendable () async -> Int) async -> Int? {
    let (flight, leads) = board(key)
    if leads, start(flight, key, operation) { return flight.result }
    return await flight.room.wait() ? flight.result : nil
  }

  @inline(never)
  private func board(_ key: Int) -> (Flight, leads: Bool) {
    flights.withLock { flights in
      if let flight = flights[key] { return (flight, false) }
      let flight = Flight()
      flights[key] = flight
      return (flight, true)
    }
  }

  @inline(never)
  private func start(_ flight: Flight, _ key: Int, _ operation: @escaping @Sendable () async -> Int) -> Bool {
    _ = Local.$number.withValue(1) {
      Task.immediate {
        flight.result = await operation()
        self.land(flight, key)
      }
    }
    return flights.withLock { _ in flight.hasLanded }
  }

  @inline(never)
  private func land(_ flight: Flight, _ key: Int) {
    flights.withLock { flights in
      flights[key] = nil
      flight.hasLanded = true
    }
    flight.room.open()
  }
}

/// The reads that run, and the writes that wait for them: a read is a flight that has a place among the jobs of its key.
private final class Reads: Sendable {
  struct Places: Sendable {
    var running: [Int: Int] = [:]
    var isWriting = false
  }

  let flights = Flights()
  let places = Mutex(Places())

  func read(_ key: Int, _ operation: @escaping @Sendable () async -> Int) async -> Int? {
    await flights.value(for: key) {
      guard self.begin(key) else { return 0 }
      let value = await operation()
      self.end(key)
      return value
    }
  }

  @inline(never)
  private func begin(_ key: Int) -> Bool {
    places.withLock { places in
      if places.isWriting { return false }
      places.running[key, default: 0] += 1
      return true
    }
  }

  @inline(never)
  private func end(_ key: Int) {
    places.withLock { places in
      let count = places.running[key]! - 1
      places.running[key] = count == 0 ? nil : count
    }
  }
}

func runFreeReadBare(_ times: Int) async {
  let reads = Reads()
  for _ in 0..<times { _ = await reads.read(7) { await operation() } }
}

func runLeadBare(_ times: Int) async {
  let flights = Flights()
  for _ in 0..<times { _ = await flights.value(for: 7) { await operation() } }
}

func runJoinBare(_ times: Int) async {
  let (flights, door) = (Flights(), Door(opensAfter: times))
  await withTaskGroup { group in
    for _ in 0..<times {
      group.addTask {
        door.arrive()
        _ = await flights.value(for: 7) {
          await door.pass()
          return 42
        }
      }
    }
  }
}
