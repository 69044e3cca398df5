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
  @_alwaysEmitIntoClient @inline(__always)
  package nonisolated(nonsending) static func park(register: (Suspension) -> Bool) async {
    await withUnsafeContinuation(isolation: #isolation) { continuation in
      if !register(Suspension(continuation: continuation)) { continuation.resume() }
    }
  }

  /// Parks a caller that may leave.
  ///
  /// Going on is noted under the eyes of the cancellation handler: there is no moment in which a cancellation is missed.
  @_alwaysEmitIntoClient @inline(__always)
  static func park(isolation: isolated (any Actor)?, at place: some ParkingPlace) async {
    await withTaskCancellationHandler(
      operation: {
        _ = isolation  // captured, or each wait would hop to the pool and back
        await withUnsafeContinuation(isolation: isolation) { continuation in
          if !place.park(Suspension(continuation: continuation)) { continuation.resume() }
        }
        place.goesOn()
      }, onCancel: { place.leave() }, isolation: isolation)
  }
}

/// Where a caller parks that leaves when its task is cancelled: a value, and not three closures, which would lie in the frame of
/// each task that waits.
@usableFromInline
protocol ParkingPlace: Sendable {
  /// Keeps what resumes the caller; as the `register` of ``Suspension/park(register:)``.
  func park(_ suspension: Suspension) -> Bool

  /// Lets the caller go on: its task was cancelled. Called once at most, on the thread that cancels, or before it has parked.
  func leave()

  /// Notes that the caller goes on.
  func goesOn()
}
