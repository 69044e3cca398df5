import CoalescingTasks
import SerialTasksTesting
import Testing

/// Calls of the library, drawn: `A → B, B → A` takes B in a turn of A, and then A in a turn of B.
///
/// `A` to `D` are lines. `keys[a]`, `keys[a,b]` and `keys[]` are jobs of keys; `slot[a]` and `slots[a]` are those of executors on which
/// one or two jobs may run at a time. `notes(a)` and `count(a)` are reads of two types, `notes{a,b}` a write of keys, `notes` one of every
/// key, and `images(a)` an operation. With `?` a call has a limit; `submit A` awaits a job that it has submitted, and `drain A` the end
/// of all jobs. In `C: A → B & B → A`, child tasks of one turn make the calls.
struct Calls: Sendable {
  typealias Job = @Sendable () async throws -> Void

  let lines = ["A", "B", "C", "D"].map { SerialTaskExecutor(name: $0) }
  let keyed = [
    "keys": KeyedSerialTaskExecutor<String>(name: "keys"),
    "slot": KeyedSerialTaskExecutor<String>(name: "slot", maximumConcurrentJobs: 1),
    "slots": KeyedSerialTaskExecutor<String>(name: "slots", maximumConcurrentJobs: 2),
  ]
  let notes = CoalescingTaskExecutor<String>(name: "notes")
  let images = TaskCoalescer<String, Int>(name: "images")

  func line(_ name: String) -> SerialTaskExecutor { lines.first { $0.name == name }! }

  /// Makes the calls, one after the other.
  func make(_ calls: String) async throws {
    for call in calls.split(separator: ", ") {
      let sides = call.split(separator: ": ")
      if sides.count == 1 { try await nest(sides[0]) } else { try await fork(sides[1], in: String(sides[0])) }
    }
  }

  /// Makes the calls while a job has the place, so they come to wait for it, and may leave then.
  func make(_ calls: String, whileHeld place: String, leaving: Bool = false) async throws {
    let release = await hold(place)
    let caller = Task.immediate { try await make(calls) }
    if leaving {
      caller.cancel()
      _ = await caller.result
    }
    try await release()
    if !leaving { try await caller.value }
  }

  /// A job that has the place until what this returns is called.
  func hold(_ place: String) async -> Job {
    let gate = Gate()
    let holder = Task.immediate { try await take(place) { await gate.pass() } }
    await gate.waitForArrivals()
    return {
      gate.open()
      try await holder.value
    }
  }

  private func nest(_ places: Substring) async throws {
    try await nest(places.split(separator: " → ").map(String.init)[...])
  }

  private func nest(_ places: ArraySlice<String>) async throws {
    guard let place = places.first else { return }
    try await take(place) { try await nest(places.dropFirst()) }
  }

  /// Makes the calls in child tasks of one turn, one after the other; none of them ends before all have.
  private func fork(_ calls: Substring, in place: String) async throws {
    let calls = calls.split(separator: " & ")
    let gates = calls.map { _ in Gate() } + [Gate()]
    gates[0].open()
    try await take(place) {
      try await withThrowingTaskGroup { group in
        for (number, call) in calls.enumerated() {
          group.addTask {
            await gates[number].pass()
            try await nest(call)
            gates[number + 1].open()
            await gates[calls.count].pass()
          }
        }
        try await group.waitForAll()
      }
    }
  }

  /// Does a job in a turn of the place.
  func take(_ place: String, _ job: @escaping Job = {}) async throws {
    let parts = try #require(place.wholeMatch(of: #/(drain |submit )?(\w+)(?:([\[({])(.*)[\])}])?(\?)?/#)).output
    let (name, kind) = (String(parts.2), parts.3)
    let keys = (parts.4 ?? "").split(separator: ",").map(String.init)
    let limit: Duration? = parts.5 == nil ? nil : .seconds(86_400)
    switch (name, kind) {
    case _ where parts.1 == "drain ": try await drain(name, keys)
    case _ where parts.1 == "submit ": try await line(name).submit { try await job() }.value
    case ("notes", "("): try await notes.read(keys[0], waitingAtMost: limit) { try await job() }
    case ("count", _):
      _ = try await notes.read(keys[0], waitingAtMost: limit) {
        try await job()
        return 1
      }
    case ("notes", "{"): try await notes.write(touching: keys, waitingAtMost: limit, job)
    case ("notes", _): try await notes.write(waitingAtMost: limit, job)
    case ("images", _):
      _ = try await images.value(for: keys[0]) {
        try await job()
        return 1
      }
    case (_, "[") where keys.count == 1: try await keyed[name]!.enqueue(for: keys[0], waitingAtMost: limit, job)
    case (_, "["): try await keyed[name]!.enqueue(touching: keys, waitingAtMost: limit, job)
    default: try await line(name).enqueue(waitingAtMost: limit, job)
    }
  }

  private func drain(_ name: String, _ keys: [String]) async throws {
    switch name {
    case "notes": try await notes.drain()
    case "images": try await images.drain()
    case "keys" where !keys.isEmpty: try await keyed[name]!.drain(for: keys[0])
    case "keys": try await keyed[name]!.drain()
    default: try await line(name).drain()
    }
  }
}
