/// The seven calls that every repository meets sooner or later, all at the same moment.
struct ClassicCalls: Sendable {
  /// The notes that are there before.
  let notes: [Note]
  let calls: [TimedCall]

  /// The calls in a store where these numbers are taken; they leave what is there alone.
  ///
  /// The update takes longest, so that without an order everything overtakes it.
  init(takenIDs: Set<Int>) {
    let free = Array((1...).lazy.filter { !takenIDs.contains($0) }.prefix(4))
    let (first, second, third, new) = (free[0], free[1], free[2], free[3])
    notes = [
      Note(id: first, text: "Buy milk"), Note(id: second, text: "Call Ann"), Note(id: third, text: "Water the plants"),
    ]
    let milliseconds: [(Call, Int)] = [
      (.readAll, 300),
      (.read(first), 100),
      (.add(new, text: "Book the train"), 250),
      (.readAll, 200),
      (.update(first, text: "Buy oat milk"), 400),
      (.readAll, 150),
      (.delete(first), 220),
    ]
    calls = milliseconds.map { TimedCall(at: .zero, call: $0, takes: .milliseconds($1)) }
  }
}
