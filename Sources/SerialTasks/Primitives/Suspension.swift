/// A task that is suspended until ``resume()`` is called, once.
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
///    of the code that made the task run. Where that must not be, the resume has to wait (`Waiter.awaitsTask`).
///
/// It carries no value: what was decided stands in the waiter, so the same caller can be granted a turn or rejected without
/// the two racing for a continuation.
@usableFromInline
package struct Suspension: Sendable {
  @usableFromInline let continuation: UnsafeContinuation<Void, Never>

  @inlinable
  init(continuation: UnsafeContinuation<Void, Never>) { self.continuation = continuation }

  @usableFromInline package func resume() { continuation.resume() }

  /// Parks the calling task until the suspension handed to `register` is resumed.
  ///
  /// - Parameter register: Runs at once, on the calling thread. Returns `false` if the decision has already been made; the
  ///   caller then goes on without suspending, and must not be resumed.
  @inlinable @inline(__always)
  nonisolated(nonsending) static func park(register: (Suspension) -> Bool) async {
    await withUnsafeContinuation(isolation: #isolation) { continuation in
      if !register(Suspension(continuation: continuation)) { continuation.resume() }
    }
  }

  /// Parks a caller that may leave, and parks it again for as long as `mustPark` says so when it was resumed.
  ///
  /// What it decides after it was resumed (`mustPark`) is decided under the eyes of the cancellation handler: there is no
  /// moment between the two in which a cancellation is missed.
  ///
  /// - Parameters:
  ///   - isolation: The caller's.
  ///   - leave: Runs once if the calling task is cancelled before this returns, on the thread that cancels it, or at once if it
  ///     is cancelled already.
  ///   - register: As of ``park(register:)``.
  ///   - mustPark: Asked whenever the caller goes on.
  @inlinable @inline(__always)
  static func park(
    isolation: isolated (any Actor)? = #isolation, leave: @Sendable () -> Void, register: (Suspension) -> Bool,
    again mustPark: () -> Bool = { false }
  ) async {
    await withTaskCancellationHandler(
      operation: {
        _ = isolation  // captured, or each wait would hop to the pool and back
        repeat {
          await withUnsafeContinuation(isolation: isolation) { continuation in
            if !register(Suspension(continuation: continuation)) { continuation.resume() }
          }
        } while mustPark()
      }, onCancel: leave, isolation: isolation)
  }
}
