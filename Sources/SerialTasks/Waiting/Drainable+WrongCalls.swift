extension Drainable {
  @available(*, unavailable, message: "how many wait and run is in snapshot: snapshot.waiting, snapshot.running")
  public var count: Int { fatalError("unavailable") }

  @available(*, unavailable, message: "drain() waits until all has ended; snapshot shows what waits and runs now")
  public var isIdle: Bool { fatalError("unavailable") }

  @available(*, unavailable, message: "drain() waits until all that was accepted has ended")
  public func flush() async throws { fatalError("unavailable") }

  @available(*, unavailable, message: "shutDown(within: .zero) ends everything; cancelAll() keeps it open")
  public func stop() { fatalError("unavailable") }

  @available(*, unavailable, message: "shutDown(within:), with the time that accepted work may take")
  public func shutdown() async { fatalError("unavailable") }
}
