/// Holds tasks until it is opened, and reports when they have arrived.
///
/// A gate replaces time in a test: it keeps a job inside its turn, or a request in flight, for as long as the test wants.
///
/// ```swift
/// let gate = Gate()
/// let save = line.submit { await gate.pass() }
/// await gate.arrived()  // the job runs, and is held
/// #expect(line.snapshot.running > 0)
/// gate.open()
/// try await save.value
/// ```
///
/// A gate is opened once, and stays open. It is a class and not an actor: it can be opened and read from synchronous code.
public final class Gate: Sendable {
  // Two, so that an arrival does not look at all that are held.
  private let opening = Moments(false)
  private let arriving = Moments(0)

  /// Creates a gate that is closed.
  public init() {}

  /// Arrives, and returns when the gate is open.
  ///
  /// Not ended by cancellation: a task that is held here is held, so that a test can look at a job that was cancelled and still
  /// runs. ``passUnlessCancelled()`` is for jobs that end when they are cancelled. The call returns in the caller's isolation.
  public nonisolated(nonsending) func pass() async {
    arrive()
    _ = await opening.wait(isCancellable: false) { $0 }
  }

  /// Arrives, and returns when the gate is open, or throws when the calling task is cancelled.
  ///
  /// It stands for an operation that ends early, as most network requests do. A gate that is open lets a cancelled task pass.
  ///
  /// - Throws: `CancellationError` if the calling task is cancelled while it is held, or was cancelled before it arrived.
  public nonisolated(nonsending) func passUnlessCancelled() async throws {
    arrive()
    try await opening.waitUnlessCancelled { $0 }
  }

  /// The number of tasks that have arrived so far, those that have passed included.
  public var arrivals: Int { arriving.now }

  /// Whether the gate has been opened.
  public var isOpen: Bool { opening.now }

  /// Lets every task through, now and later.
  public func open() { opening.change { $0 = true } }

  /// Returns when at least so many tasks have arrived, at once if they have already.
  ///
  /// Tasks that have passed count too, so the call never misses one. A task that has arrived may not have suspended yet. Not
  /// ended by cancellation.
  ///
  /// If so few arrive for ten seconds (``withPatience(_:_:)``), the call ends the process, and says where it was made and what the
  /// executors of the process do: a test that expects an arrival which never comes would hang otherwise.
  ///
  /// - Parameters:
  ///   - count: How many tasks to wait for.
  ///   - file: The file to name if they do not arrive.
  ///   - line: The line to name.
  public nonisolated(nonsending) func arrived(
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
