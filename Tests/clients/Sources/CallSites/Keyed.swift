// Ordered per key, as its users write it: every line must compile, without a warning, in each CLIENT_MODE.
import SerialTasks

func keyed() async throws {
  let perUser = KeyedSerialTaskExecutor<String>(name: "accounts", capacityPerKey: 100)
  let bounded = KeyedSerialTaskExecutor<String>(name: "tenants", capacity: 1_000, capacityPerKey: 100)
  print(bounded.snapshot.capacity ?? .max)
  try await perUser.enqueue(for: "ann") { print("ordered after ann's earlier jobs only") }
  perUser.submit(for: "bob") { print("at the same time") }

  let token: Token = try await perUser.enqueue(for: "ann", name: "mint") { Token(id: 1) }
  _ = consume token
  let job = perUser.submit(for: "bob", name: "ship", priority: .high) { "shipped" }
  print(try await job.value)
  perUser.pause()
  perUser.resume()
  perUser.cancelAll(for: "ann")
  perUser.cancelAll()
  print(perUser.snapshot.waiting, perUser.snapshot.running, perUser.snapshot(for: "ann").running > 0)
  try await perUser.enqueue(for: "ann") {
    perUser.preconditionInJob(for: "ann")
    print(perUser.isInJob(for: "bob"))
  }
  perUser.close()
  try await perUser.drain(for: "ann")
  try await perUser.drain()

  let typed: Result<Int, Unsent> = await perUser.submit(for: "ann") { 1 }.result.mapError { .because($0) }
  do throws(Unsent) { print(try typed.get()) } catch { print(error) }
}

nonisolated enum Shelf: Hashable, Sendable {
  case inbox
  case archive(year: Int)
}

@MainActor final class Shelves {
  let writes = KeyedSerialTaskExecutor<Shelf>(name: "shelves") { event in print(event) }
  let draft = Draft()
  var shown: [Shelf: [Note]] = [:]

  func put(_ note: Note, on shelf: Shelf) async throws(NotesError) {
    try await writes.enqueue(for: shelf, rejectedAs: NotesError.unavailable) { () async throws(NotesError) in
      shown[shelf, default: []].append(note)
      draft.edits += 1  // still on the main actor; `draft` is not Sendable
    }
  }

  func putLater(_ note: Note, on shelf: Shelf) {  // from a synchronous callback; the place is taken here
    writes.submit(for: shelf, name: "put \(note.id)") {
      self.shown[shelf, default: []].append(note)
      self.draft.edits += 1
    }
  }

  func logOut() async throws {
    writes.close()
    writes.cancelAll()
    try await writes.drain()  // nothing lands after this line
  }
}
