/// Holds tasks until it is opened, and reports when they have arrived.
///
/// ```swift
/// let gate = Gate()
/// let save = line.submit { await gate.pass() }
/// await gate.waitForArrivals()  // the job runs, and is held
/// #expect(line.snapshot.running > 0)
/// gate.open()
/// try await save.value
/// ```
///
/// Once opened, it stays open. Synchronous code can open it.
public final class Gate: Sendable {
  // Two states, so that an arrival does not check all held tasks.
  private let opening = Moments(false)
  private let arriving = Moments(0)

  /// Creates a closed gate.
  public init() {}

  /// Arrives, and returns when the gate is open, in the caller's isolation.
  ///
  /// Ignores cancellation: a test can inspect a job that was cancelled and still runs.
  public nonisolated(nonsending) func pass() async {
    arrive()
    _ = await opening.wait(isCancellable: false) { $0 }
  }

  /// Arrives, and returns when the gate is open, or throws when the calling task is cancelled.
  ///
  /// An open gate also passes a cancelled task.
  ///
  /// - Throws: `CancellationError`.
  public nonisolated(nonsending) func passUnlessCancelled() async throws {
    arrive()
    try await opening.waitUnlessCancelled { $0 }
  }

  /// The number of tasks that have arrived, including those that have passed.
  public var arrivals: Int { arriving.now }

  /// Whether the gate has been opened.
  public var isOpen: Bool { opening.now }

  /// Opens the gate for every task, now and later.
  public func open() { opening.change { $0 = true } }

  /// Returns when at least this many tasks have arrived, including those that have passed.
  ///
  /// A task that has arrived may not have suspended yet. Ignores cancellation. With too few tasks after ten seconds
  /// (``withPatience(_:_:)``), it ends the process with a message that names the call and the state of all executors.
  public nonisolated(nonsending) func waitForArrivals(
    _ count: Int = 1, file: StaticString = #fileID, line: UInt = #line
  ) async {
    let missing = Patience.fewer(than: count, "task", "at the gate")
    do {
      try await Patience.wait(missing, found: "Arrivals: \(arrivals).") { patience in
        await arriving.wait(isCancellable: false, patience: patience) { $0 >= count }
      }
    } catch { fatalError("\(error)", file: file, line: line) }
  }

  @inline(never)
  private func arrive() { arriving.change { $0 += 1 } }
}
