import Testing

@testable import notes

@Suite(.watched) struct ExpectedStoreTests {
  @Test func callsAreAnsweredFromWhatThoseBeforeHaveLeft() {
    var store = ExpectedStore([Note(id: 1, text: "a")])
    #expect(store.perform(.read(1)) == .success(.note(Note(id: 1, text: "a"))))
    #expect(store.perform(.add(2, text: "b")) == .success(.done))
    #expect(store.perform(.update(1, text: "c")) == .success(.done))
    #expect(store.perform(.readAll) == .success(.notes([Note(id: 1, text: "c", edits: 1), Note(id: 2, text: "b")])))
    #expect(store.perform(.delete(1)) == .success(.done))
    #expect(store.notes == [Note(id: 2, text: "b")])
  }

  // Fails if: a call that must fail changes the store.
  @Test func callsThatMustFailFailAndChangeNothing() {
    let initial = ExpectedStore([Note(id: 1, text: "a", edits: 3)])
    var store = initial
    #expect(store.perform(.read(2)) == .failure(.missing(2)))
    #expect(store.perform(.update(2, text: "")) == .failure(.missing(2)))
    #expect(store.perform(.delete(2)) == .failure(.missing(2)))
    #expect(store.perform(.add(1, text: "b")) == .failure(.exists(1)))
    #expect(store == initial)
  }

  @Test func aNoteThatWasDeletedAndAddedAgainBeginsAnew() {
    var store = ExpectedStore([Note(id: 1, text: "a", edits: 3)])
    _ = store.perform(.delete(1))
    _ = store.perform(.add(1, text: "b"))
    #expect(store.notes == [Note(id: 1, text: "b")])
  }

  // Fails if: the repository and the model, called one at a time, mean different things by a call.
  @Test func theRepositoryDoesWhatTheModelSays() async throws {
    let folder = try TemporaryFolder()
    let store = try StoreOpening.open(folder.path)
    let repository = NotesRepository(store: store)
    var expected = ExpectedStore([])
    var random = SplitMix(state: 7)
    for step in 0..<300 {
      let id = Int.random(in: 0...6, using: &random)
      let calls: [Call] = [.read(id), .readAll, .add(id, text: "\(step)"), .update(id, text: "\(step)"), .delete(id)]
      let call = try #require(calls.randomElement(using: &random))
      let answer = await repository.perform(call, taking: .zero)
      #expect(answer == expected.perform(call), "step \(step): \(call)")
    }
    #expect(try store.all() == expected.notes)
  }
}
