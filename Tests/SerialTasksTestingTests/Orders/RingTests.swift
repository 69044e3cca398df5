import CoalescingTasks
import SerialTasksTesting
import TestWatch
import Testing

/// Which calls could wait for each other in a ring.
@Suite(.watched) struct RingTests {
  let calls = Calls()

  /// What is found among the calls, also while other keys are busy: those that are free take another way then.
  private func expect(_ text: String, _ rings: [String], sourceLocation: SourceLocation = #_sourceLocation) async throws
  {
    for isBusy in [false, true] {
      let found = try await potentialDeadlocks {
        var others: [Calls.Job] = []
        if isBusy { others.append(await calls.hold("keys[z]")) }
        // A write of every key would wait for that.
        if isBusy, !text.contains(#/notes(?![({])/#) { others.append(await calls.hold("notes{z}")) }
        try await calls.make(text)
        for release in others { try await release() }
      }
      let paths = found.map { $0.path.joined(separator: " → ") }
      #expect(paths == rings, "\(text), \(isBusy)", sourceLocation: sourceLocation)
    }
  }

  /// Fails if: two orders are no ring, one is, a ring is found twice, does not begin with the first, only rings of two are found, only
  /// the innermost turn counts, or keys that are equal count as different, or the other way round.
  @Test(arguments: [
    ("A → B, A → B", []), ("A → B → C, D → A → C", []),
    ("A → B, B → A, A → B, B → A", ["A → B → A"]),
    ("A → B, B → C, C → A", ["A → B → C → A"]),
    ("A → B, B → C, C → A, B → A", ["A → B → A", "A → B → C → A"]),
    ("A → C → B, B → D → A", ["A → B → A"]),
    ("keys[a] → keys[b], keys[b] → keys[a], keys[a] → keys[c], keys[d] → keys[a]", ["keys[a] → keys[b] → keys[a]"]),
    ("A → keys[a], keys[a] → A", ["A → keys[a] → A"]),
    ("A → images(a), images(a) → A", ["A → images[a] → A"]),
  ])
  func opposite(_ calls: String, _ rings: [String]) async throws { try await expect(calls, rings) }

  /// Fails if: requests that are only made inside turns of one line are a ring, a gate counts although only two of three are behind it, or
  /// only if all are; reads that share keep requests apart; or child tasks of one turn count as one task, also where another has made
  /// the request before, but not those that hold nothing else, or what keeps them apart inside.
  @Test(arguments: [
    ("C → A → B, C → B → A", []), ("C → A → B, D → B → A", ["A → B → A"]),
    ("slot[a] → A → B, slot[b] → B → A", []), ("slots[a] → A → B, slots[b] → B → A", ["A → B → A"]),
    ("D → A → B, B → C, D → C → A", []),
    ("keys[a] → A → B, keys[b] → B → A", ["A → B → A"]),
    ("notes(a) → A → B, count(a) → B → A", ["A → B → A"]),
    ("notes(a) → A → B, notes(a) → B → A", []),
    ("C: A → B & B → A", ["A → B → A"]),
    ("C: A → B & A → B & B → A, C: B → A", ["A → B → A"]),
    ("C: A & A → B", []), ("C: D → A → B & D → B → A", []),
    ("C: D → keys[a] → A → B & D → B → A", []), ("C: D → A → B & D → keys[a] → B → A", []),
  ])
  func gates(_ calls: String, _ rings: [String]) async throws {
    if calls.contains("&"), !childrenAreCertain { return }
    try await expect(calls, rings)
  }

  /// Fails if: there is an order inside a set, a set does not link its keys, one that stands in front links more than it has, or what
  /// stands between two is in the ring needlessly, or is not where it is needed.
  @Test(arguments: [
    ("keys[a,b] → A, keys[b,a] → A", []),
    ("A → keys[a], keys[b] → A", []),
    ("A → keys[a], keys[b] → A, keys[a,b]", ["A → keys[a] → keys[b] → A"]),
    ("A → keys[a,b], B → keys[b,a], keys[a,b]", []),
    ("A → keys[a,b], keys[b,c] → A", ["A → keys[b] → A"]),
    ("keys[a] → keys[b], keys[a,b]", []),
    ("notes{a} → notes{b}, notes", []),
    ("A → keys[a], keys[c] → A, keys[a,c], B → keys[a,b]", ["A → keys[a] → keys[c] → A"]),
    ("A → keys[a], keys[c] → A, keys[a,b], B → keys[b,c]", ["A → keys[a] → keys[b] → keys[c] → A"]),
    ("notes{} → A → notes{a}, notes{b} → A, notes", []),
    ("notes{} → A, A → notes", []), ("notes → A, A → notes{}", []),
  ])
  func sets(_ calls: String, _ rings: [String]) async throws { try await expect(calls, rings) }

  /// Fails if: a read or a write is not recorded, equal reads are not one read, or others block each other without a write between them.
  @Test(arguments: [
    ("A → notes, notes → A", ["A → notes → A"]),
    ("A → notes{a}, notes → A", ["A → notes[a] → A"]),
    ("A → notes, notes{a} → A", ["A → notes[a] → A"]),
    ("A → notes{a}, notes(a) → A", ["A → notes[a] → A"]),
    ("A → notes(a), notes{a} → A", ["A → notes[a] → A"]),
    ("A → notes(a), notes(a) → A", ["A → notes[a] → A"]),
    ("A → notes(a), notes(b) → A", []),
    ("A → notes(a), count(a) → A", []),
    ("A → notes(a), count(a) → A, notes{a}", ["A → notes[a] → notes[a] → A"]),
    ("A → notes(a), count(a) → A, notes", ["A → notes[a] → notes[a] → A"]),
    ("A → notes(a), count(a) → A, notes{b}", []),
    ("A → notes(a), count(a) → A, notes(a)", []),
  ])
  func readsAndWrites(_ calls: String, _ rings: [String]) async throws { try await expect(calls, rings) }

  /// Fails if: the only slot does not block, one of two does, or two of one key or behind one gate do; or a job that has a slot is left out
  /// from between two others.
  @Test(arguments: [
    ("A → slot[a], slot[b] → A", ["A → slots of slot (1) → A"]),
    ("A → slots[a], slots[b] → A", []),
    ("A → slots[a], slots[b] → A, B → slots[b] → A", []),
    ("A → slots[a], slots[b] → A, slots[c] → A", ["A → slots of slots (2) → A"]),
    ("A → slots[a], slots[b] → A, slots[c] → B", []),
    ("A → slots[a], B → slots[b] → A, B → slots[c] → A", []),
    (
      "slots[a] → keys[a], slots[b] → keys[a,b], keys[c] → slots[c], keys[a,c]",
      ["slots of slots (2) → keys[a] → keys[a] → keys[c] → slots of slots (2)"]
    ),
  ])
  func slots(_ calls: String, _ rings: [String]) async throws { try await expect(calls, rings) }

  /// The limit is on waiting for a turn: a caller that joins a read that has begun waits for its end.
  ///
  /// Fails if: a call with a limit closes a ring, or what is held in its turn does not count.
  @Test(arguments: [
    ("A → B?, B → A", []),
    ("A → keys[a]?, keys[a] → A", []),
    ("A → notes?, A → notes{a}?, notes → A", []),
    ("A → count(a)?, notes(a) → A, notes{a} → A", []),
    ("A? → B, B → A", ["A → B → A"]),
    ("A → notes(a)?, notes(a) → A", ["A → notes[a] → A"]),
    ("A → notes(a)?, notes(a) → B, B → A", ["A → notes[a] → B → A"]),
    ("A → notes(a)?, count(a) → A, notes{a}", []),
  ])
  func limits(_ calls: String, _ rings: [String]) async throws { try await expect(calls, rings) }

  /// Fails if: a call that had to wait is not recorded, also when it left; one with a limit is then; a drain is not, counts as one of
  /// all keys, or as something that stands in front.
  @Test(arguments: [
    ("A → B", "B", "B → A", "A → B → A"),
    ("A → B?", "B", "B → A", nil),
    ("A → keys[a]?", "keys[a]", "keys[a] → A", nil),
    ("A → drain B", "B", "B → A", "A → B → A"),
    ("A → drain keys[a]", "keys[a]", "keys[a] → A", "A → keys[a] → A"),
    ("A → drain keys[a]", "keys[a]", "keys[b] → A", nil),
    ("A → drain keys", "keys[a]", "keys[b] → A", "A → keys[b] → A"),
    ("A → drain keys", "keys[]", "keys[] → A", "A → keys → A"),
    ("A → drain notes", "notes", "notes(a) → A", "A → notes[a] → A"),
    ("A → drain images", "images(a)", "images(b) → A", "A → images[b] → A"),
    ("drain keys", "keys[a]", "A → keys[a], keys[b] → A", nil),
  ])
  func waits(_ waiting: String, _ held: String, _ then: String, _ ring: String?) async throws {
    for leaves in ring == nil || waiting.contains("drain") ? [false] : [false, true] {
      let found = try await potentialDeadlocks {
        try await calls.make(waiting, whileHeld: held, leaving: leaves)
        try await calls.make(then)
      }
      #expect(found.map { $0.path.joined(separator: " → ") } == (ring.map { [$0] } ?? []))
    }
  }

  /// The turn ends when the caller that awaits is cancelled, and the awaited work continues: such work does meet.
  ///
  /// Fails if: a job or an operation counts as holding the turn in which it is awaited.
  @Test(arguments: [
    ("A → submit B → C, A → C → B", "B → C → B"), ("A → images(a) → C, A → C → images(a)", "images[a] → C → images[a]"),
    ("A → notes(a) → C, A → C → notes{a,b}", "notes[a] → C → notes[a]"),
  ])
  func awaitedWork(_ calls: String, _ ring: String) async throws { try await expect(calls, [ring]) }

  /// Writes of two accounts out of twelve, in all pairs, each of which requests a token.
  ///
  /// Fails if: requests in one line are followed in all their orders, or none is followed.
  @Test func manyInOneLine() async throws {
    let accounts = (0..<12).map { "\($0)" }
    let pairs = accounts.flatMap { first in accounts.prefix { $0 != first }.map { "keys[\(first),\($0)] → A" } }
    for (request, ring) in [("B", nil), ("A → keys[3]", ["keys[3]", "A", "keys[3]"])] {
      let found = try await potentialDeadlocks { for call in pairs + [request] { try await calls.make(call) } }
      #expect(found.first?.path == ring)
    }
  }
}
