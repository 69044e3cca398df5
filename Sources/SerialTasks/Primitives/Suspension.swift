/// A task that is suspended until ``resume()`` is called, once; the decision is stored in its waiter.
///
/// Only this file uses continuations and cancellation handlers. Swift 6.4 changes both (SE-0504, SE-0528), and three
/// rules prevent every known bug of this kind:
///
/// 1. **No cancellation is missed.** A caller takes its place before the cancellation handler is installed, or inside its scope. A
///    decision that is made before the caller has parked is stored in the waiter, and `park` resumes the caller itself.
/// 2. **Resume last.** A suspension is taken from the waiter under the lock and resumed after the unlock.
/// 3. **A resume may come first.** A continuation that is resumed before its task has suspended continues at once, on
///    the stack of the code that made the task run. Where that is not allowed, the resume waits (`Waiter.awaitsTask`).
@usableFromInline
package struct Suspension: Sendable {
  @usableFromInline let continuation: UnsafeContinuation<Void, Never>

  @inlinable
  init(continuation: UnsafeContinuation<Void, Never>) { self.continuation = continuation }

  @usableFromInline package func resume() { continuation.resume() }

  /// Parks the calling task until the suspension passed to `register` is resumed.
  ///
  /// - Parameter register: Runs at once. Returns `false` if the decision has already been made; the caller then continues
  ///   without suspending, and must not be resumed.
  @_alwaysEmitIntoClient @inline(__always)
  package nonisolated(nonsending) static func park(register: (Suspension) -> Bool) async {
    await withUnsafeContinuation(isolation: #isolation) { continuation in
      if !register(Suspension(continuation: continuation)) { continuation.resume() }
    }
  }

  /// Parks a caller that leaves when its task is cancelled.
  ///
  /// `arrive` is called first, inside the cancellation handler's scope, and returns whether the caller has to wait.
  @_alwaysEmitIntoClient @inline(__always)
  static func park(
    isolation: isolated (any Actor)?, at place: some ParkingPlace, arriving arrive: () -> Bool
  ) async {
    await withTaskCancellationHandler(
      operation: {
        _ = isolation  // captured, or each wait would hop to the pool and back
        guard arrive() else { return }
        await withUnsafeContinuation(isolation: isolation) { continuation in
          if !place.park(Suspension(continuation: continuation)) { continuation.resume() }
        }
        place.goesOn()
      }, onCancel: { place.leave() }, isolation: isolation)
  }
}

/// Where a caller that may leave parks; not three closures, which would lie in each waiting task's frame.
@usableFromInline
protocol ParkingPlace: Sendable {
  /// Stores what resumes the caller; see `register` of ``Suspension/park(register:)``.
  func park(_ suspension: Suspension) -> Bool

  /// Resumes a caller whose task was cancelled; called at most once, by the cancelling thread, perhaps before the
  /// caller has parked.
  func leave()

  func goesOn()
}
