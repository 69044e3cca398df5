/// An owner of flights whose calls may have completion handlers, which `drain` awaits.
protocol CompletingFlightOwner: DrainedFlightOwner {
  func withDrains<Result: Sendable>(_ body: (inout FlightDrains) -> Result) -> Result
}

extension CompletingFlightOwner {
  /// Passes the closure's result to the completion when this call has returned; the closure begins before that.
  ///
  /// `Task.yield()` is not enough: it may return before its task has suspended, and the task then continues inside the
  /// call. `drain` waits until the completion has returned.
  package func pass<Value: Sendable>(
    to completion: @escaping @Sendable @isolated(any) (Result<Value, any Error>) -> Void, name: String?,
    priority: TaskPriority? = nil, _ ask: @escaping @Sendable () async throws -> Value
  ) {
    let call = Latch()
    Task<Void, Never>.starting(now: true, name: name, priority: priority) {
      let number = self.beginCall()
      let result: Result<Value, any Error>
      do { result = .success(try await ask()) } catch { result = .failure(error) }
      // The caller may hold a lock that the completion needs.
      _ = await call.wait(isCancellable: false)
      await completion(result)
      self.endCall(number)
    }
    // Last: the task can no longer continue inside the call.
    call.open()
  }

  /// Not inlined, like the next: see ``Lock``.
  @inline(never)
  private func beginCall() -> UInt64 { withDrains { $0.beginCall() } }

  @inline(never)
  private func endCall(_ number: UInt64) {
    withDrains { drains in
      var resumed = Few<Suspension>.none
      drains.endCall(number) { resumed.append(waiter: $0) }
      return resumed
    }.resumeAll()
  }
}
