import Synchronization

/// The turn of a line for which no other task waits, in one word: it is taken and given back without the lock.
///
/// ```
///            enter                                 look, close
///   free ◄──────────► a task, which has the turn ───────────────► closed: ask the state
///    ▲      leave                                                    │
///    └───────────────────────── open ────────────────────────────────┘
/// ```
///
/// A task that takes the lock closes the word first, and moves what it said into the state. When it leaves a free line behind,
/// it opens the word again. So the state is right whenever it is looked at. The word is right only about a line that is free,
/// or was free when its holder came.
struct TurnWord: ~Copyable, Sendable {
  private static var free: UInt { 0 }
  private static var closed: UInt { 1 }

  /// The address of the holder's task, or one of those two, which no task has.
  private let word: Atomic<UInt>

  init(isOpen: Bool) { word = Atomic(isOpen ? TurnWord.free : TurnWord.closed) }

  /// Takes the turn for the task that runs now; to be called by async functions alone.
  ///
  /// - Returns: The task; `nil` if the line is not free, or the task may have been cancelled, and then nothing has changed.
  @inline(__always)
  func enter() -> TaskReference? {
    // Safe because async functions always run in a task.
    let task = TaskReference.current.unsafelyUnwrapped
    // Whether the task is shielded from its cancellation is asked later.
    return !task.isCancelled && take(for: task) ? task : nil
  }

  private func take(for task: TaskReference) -> Bool {
    word.compareExchange(
      expected: TurnWord.free, desired: task.word, successOrdering: .acquiring, failureOrdering: .relaxed
    )
    .exchanged
  }

  /// Gives the turn back, unless the word was closed since: then the state knows who holds it.
  func leave(_ task: TaskReference) -> Bool {
    word.compareExchange(
      expected: task.word, desired: TurnWord.free, successOrdering: .releasing, failureOrdering: .relaxed
    ).exchanged
  }

  /// Closes the word; to be called first of all under the lock.
  ///
  /// - Returns: The task that has the turn, if the state does not know it.
  func close() -> TaskReference? {
    // A closed word changes only under the lock.
    if word.load(ordering: .relaxed) == TurnWord.closed { return nil }
    return TaskReference(word: word.exchange(TurnWord.closed, ordering: .acquiringAndReleasing))
  }

  /// Opens the word of a line that is free; to be called last of all under the lock.
  func open() { word.store(TurnWord.free, ordering: .releasing) }
}
