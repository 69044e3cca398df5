/// A caller that has stopped running until somebody calls ``resume()``, once.
///
/// This file is the only one that names continuations and cancellation handlers: Swift 6.4 changes both (SE-0504, SE-0528),
/// and the rules that every shipped bug of this kind breaks are kept here, in one place:
///
/// 1. **Register first.** The waiter is in its line before the cancellation handler is installed, so a cancellation that came
///    earlier finds something to take out of the line. A decision that comes before the caller has parked is kept in the
///    waiter's standing, and `park` resumes the caller itself.
/// 2. **Resume last.** A suspension is taken out of the waiter under the lock and resumed after the unlock.
///
/// 3. **A resume may come first.** A continuation that is resumed before its task has suspended goes on at once, on the stack
///    of whoever made the task run. Where that must not be, the resume has to wait (`Waiter.awaitsTask`).
///
/// It carries no value: what was decided stands in the waiter, so the same caller can be granted a turn or rejected without
/// the two racing for a continuation.
@usableFromInline
package struct Suspension: Sendable {
  private let continuation: UnsafeContinuation<Void, Never>

  @usableFromInline package func resume() { continuation.resume() }

  /// Parks the calling task until the suspension handed to `register` is resumed.
  ///
  /// - Parameters:
  ///   - isolation: The caller's.
  ///   - register: Runs at once, on the calling thread. Returns `false` if the decision has already been made; the caller
  ///     then goes on without suspending, and nobody else may resume it.
  @usableFromInline
  static func park(
    isolation: isolated (any Actor)?, register: (Suspension) -> Bool
  ) async {
    await withUnsafeContinuation(isolation: isolation) { continuation in
      if !register(Suspension(continuation: continuation)) { continuation.resume() }
    }
  }

  /// Runs the operation, in which the caller parks, as one that may be left.
  ///
  /// `leave` runs once if the calling task is cancelled before the operation has ended, on the thread that cancels it, or at
  /// once if it is cancelled already. What the operation decides after it was resumed is decided under its eyes: there is no
  /// moment between the two in which a cancellation is missed.
  @inlinable
  static func leavable<Result>(
    isolation: isolated (any Actor)?, leave: @Sendable () -> Void, _ operation: () async -> Result
  ) async -> Result {
    await withTaskCancellationHandler(operation: operation, onCancel: leave, isolation: isolation)
  }
}
