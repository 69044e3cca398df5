extension Line {
  /// The way of one job through the line, in the calling task and the caller's isolation.
  ///
  /// It is generic, so it must be specialised in the client: on an unspecialised path the same costs three times as much.
  /// Only what depends on the job's types is here; all else is a call into compiled code.
  @inlinable
  func perform<Success: ~Copyable, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation, name: String?, rejectedAs failure: (JobRejection) -> Failure,
    _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    let place: Place
    switch arrive(named: name) {
    case .granted(let granted): place = granted
    case .waiting(let waiter):
      await wait(isolation: isolation, waiter)
      if let why = waiter.rejection { throw failure(why) }
      place = waiter.place
    case .rejected(let why): throw failure(why)
    }

    // `withValue` knows neither typed errors nor move-only results: both leave through captured variables.
    var success: Success?
    var thrown: Failure?
    let marker = TurnMarker(node: self)
    await TurnMarker.key.withValue(marker) {
      // Captured, so that the closure is isolated like the caller. Without it each job would hop to the pool and back.
      _ = isolation
      TurnMarker.bindAddress()
      do throws(Failure) { success = try await job() } catch { thrown = error }
      marker.end()
    }
    if reports { report(thrown.map { .failed($0) } ?? .finished, name, place) }
    if let pin = finish(place) { await pin.released() }

    if let thrown { throw thrown }
    return success.take()!
  }
}
