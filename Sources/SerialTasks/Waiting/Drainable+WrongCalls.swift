extension Drainable {
  /// Shows where numbers are.
  @available(*, unavailable, message: "how many wait and run is in snapshot: snapshot.waiting, snapshot.running")
  @_alwaysEmitIntoClient public var count: Int { fatalError("unavailable") }

  /// Shows how to wait until nothing is left, and where it is seen.
  @available(*, unavailable, message: "drain() waits until all has ended; snapshot shows what waits and runs now")
  @_alwaysEmitIntoClient public var isIdle: Bool { fatalError("unavailable") }

  /// Shows how to wait for what was accepted.
  @available(*, unavailable, message: "drain() waits until all that was accepted has ended")
  @_alwaysEmitIntoClient public func flush() async throws { fatalError("unavailable") }

  /// Shows what ends work.
  @available(*, unavailable, message: "shutDown(within: .zero) ends everything; cancelAll() keeps it open")
  @_alwaysEmitIntoClient public func stop() { fatalError("unavailable") }

  /// Shows that a shutdown has a limit.
  @available(*, unavailable, message: "shutDown(within:), with the time that accepted work may take")
  @_alwaysEmitIntoClient public func shutdown() async { fatalError("unavailable") }
}
