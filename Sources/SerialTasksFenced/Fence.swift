/// A grant of access to a key: a number that only rises, and whether the access is still held.
///
/// A process that is paused does not notice that it has lost access. Another process may be at work by the time it continues,
/// and its next write comes too late. So send the number along with each write, and let the store refuse a number that is lower
/// than one it has seen for the key. Without such a store no lock of any kind excludes two processes for certain.
///
/// A place in a line is not a fence: it starts again with the process.
public struct Fence: Sendable {
  /// Rises with every grant of the key, in whichever process, and never starts again.
  ///
  /// All jobs that run under one grant are given the same number.
  public let number: UInt64
  private let validity: @Sendable () throws -> Void

  /// Creates a fence, which only an ``ExclusiveAccess`` has to do.
  ///
  /// - Parameters:
  ///   - number: The number of the grant.
  ///   - check: Throws if the access is known to be lost, preferably ``AccessError/lost(number:reason:)``. It may be called from
  ///     any thread, and should not block.
  public init(number: UInt64, check: @escaping @Sendable () throws -> Void) {
    self.number = number
    self.validity = check
  }

  /// Throws once the access is known to be lost or was released.
  ///
  /// Returning is no promise: access may be lost a moment later. Use it to stop early, and ``number`` to be safe.
  ///
  /// - Throws: What the engine says, or ``AccessError/lost(number:reason:)``.
  public func check() throws { try validity() }
}

/// Why a job has no access to its key, apart from the engine's own errors.
public enum AccessError: Error, Hashable, Sendable {
  /// The access of this number was lost or released.
  case lost(number: UInt64, reason: String)
  /// The engine returned without running the turn, and without an error.
  case notGranted
}

extension AccessError: CustomStringConvertible {
  /// A sentence that says what happened.
  public var description: String {
    switch self {
    case .lost(let number, let reason): "The access with fence \(number) is not held any more: \(reason)."
    case .notGranted: "The engine returned without granting access, and without an error."
    }
  }
}
