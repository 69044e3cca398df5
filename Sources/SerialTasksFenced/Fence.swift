/// A grant of access to a key: a number that only rises, and whether the access is still held.
///
/// **The store must learn the number before the job reads what it will write back**, in the transaction of the read,
/// and reject a number lower than one it has learned. Make this the first statement of each transaction of a job; if it
/// changes no row, the job came too late:
///
/// ```sql
/// INSERT INTO fences (key, number) VALUES (?, ?)
/// ON CONFLICT (key) DO UPDATE SET number = excluded.number
/// WHERE fences.number <= excluded.number
/// ```
///
/// Sending the number only with the write is not enough: if the late write of a paused process arrives between the read
/// and the write of the next holder, the store does not know that holder's number yet and accepts it, and one update is
/// lost. Alternatively, the store can compare what was read when it writes (`… AND balance = :read`). Without such a
/// store, no lock reliably excludes two processes.
///
/// A job's place in a line is not a fence: places start again with the process.
public struct Fence: Sendable {
  /// Rises with every grant of the key, in any process, and never starts again; jobs under one grant share it.
  public let number: UInt64
  private let grant: Grant

  /// Creates a fence.
  ///
  /// An ``ExclusiveAccess`` usually calls ``lend(number:check:to:)`` instead.
  ///
  /// - Parameters:
  ///   - number: The number of the grant.
  ///   - check: Throws if the access is known to be lost, preferably ``AccessError/lost(number:reason:)``. It may be
  ///     called from any thread, and should not block.
  public init(number: UInt64, check: @escaping @Sendable () throws -> Void) {
    self.number = number
    grant = Grant(check)
  }

  /// Throws once the access is known to be lost or was released.
  ///
  /// Access may be lost a moment later: use this method to stop early, and ``number`` to be safe.
  ///
  /// - Throws: The engine's error, or ``AccessError/lost(number:reason:)``.
  public func check() throws {
    guard let check = grant.check else { throw AccessError.lost(number: number, reason: "it was released") }
    try check()
  }
}

extension Fence {
  /// Runs a turn of an ``ExclusiveAccess`` under a new fence, which is lost when the turn has ended.
  ///
  /// After that, ``check()`` throws. Cancellation, isolation and errors are those of the turn.
  ///
  /// - Parameters:
  ///   - number: The number of the grant.
  ///   - check: See ``init(number:check:)``. Released after the turn.
  ///   - turn: Runs once, before this call returns.
  /// - Throws: The turn's error, unchanged.
  public nonisolated(nonsending) static func lend(
    number: UInt64, check: @escaping @Sendable () throws -> Void,
    to turn: nonisolated(nonsending) (Fence) async throws -> Void
  ) async throws {
    let fence = Fence(number: number, check: check)
    defer { fence.end() }
    try await turn(fence)
  }

  func end() { grant.end() }

  /// The engine's closure, until the grant has ended.
  private final class Grant: Sendable {
    private struct Kept: Sendable { var check: (@Sendable () throws -> Void)? }
    private let engine: Lock<Kept>

    init(_ check: @escaping @Sendable () throws -> Void) { engine = Lock(Kept(check: check)) }

    // Not inlined: see `Lock`.

    var check: (@Sendable () throws -> Void)? { @inline(never) get { engine.withLock { $0.check } } }

    /// Releases the closure after the unlock.
    @inline(never)
    func end() { _ = engine.withLock { $0.check.take() } }
  }
}

/// Why a job has no access to its key, apart from the engine's own errors.
public enum AccessError: Error, Hashable, Sendable {
  /// The access with this number was lost or released.
  case lost(number: UInt64, reason: String)
  /// The engine returned without running the turn and without throwing.
  case notGranted
}

extension AccessError: CustomStringConvertible {
  /// A sentence that says what happened.
  public var description: String {
    switch self {
    case .lost(let number, let reason): "Access with fence \(number) was lost: \(reason)."
    case .notGranted: "The engine returned without granting access and without throwing an error."
    }
  }
}
