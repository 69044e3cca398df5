import Synchronization

/// The turn of an uncontended line in one word, taken and returned without the lock.
///
/// ```
///            enter                                 look, close
///   free ◄──────────► a task, which has the turn ───────────────► closed: the state decides
///    ▲      leave                                                    │
///    └───────────────────────── open ────────────────────────────────┘
/// ```
///
/// Who takes the lock first closes the word, and merges it into the state, so that no code reads a state without it.
/// Who leaves a free line behind opens the word again.
struct TurnWord: ~Copyable, Sendable {
  private static var free: UInt { 0 }
  private static var closed: UInt { 1 }

  /// The address of the holder's task, or one of the two values above, which no task has.
  private let word: Atomic<UInt>

  init(isOpen: Bool) { word = Atomic(isOpen ? TurnWord.free : TurnWord.closed) }

  /// Takes the turn for the current task, of an async function; changes nothing if the line is not free, or the task
  /// may have been cancelled.
  @inline(__always)
  func enter() -> TaskReference? {
    let task = TaskReference.running
    // A cancellation shield is checked later.
    return !task.isCancelled && take(for: task) ? task : nil
  }

  private func take(for task: TaskReference) -> Bool {
    word.compareExchange(
      expected: TurnWord.free, desired: task.word, successOrdering: .acquiring, failureOrdering: .relaxed
    )
    .exchanged
  }

  /// Returns `false` if the word was closed since, and the state has the holder.
  func leave(_ task: TaskReference) -> Bool {
    word.compareExchange(
      expected: task.word, desired: TurnWord.free, successOrdering: .releasing, failureOrdering: .relaxed
    ).exchanged
  }

  /// A closed word changes only under the lock.
  var isClosed: Bool { word.load(ordering: .relaxed) == TurnWord.closed }

  /// Called first under the lock; returns the task that has the turn, unless the state has it.
  func close() -> TaskReference? {
    TaskReference(word: word.exchange(TurnWord.closed, ordering: .acquiringAndReleasing))
  }

  /// Called last under the lock of a free line.
  func open() { word.store(TurnWord.free, ordering: .releasing) }
}
