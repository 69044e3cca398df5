/// A way for calls to reach the code that does their work.
struct Way: Sendable {
  /// Whether nothing more can happen before time passes.
  let isQuiet: @Sendable (Log.State) -> Bool
  /// Makes the call.
  let perform: Perform

  typealias Perform = @Sendable (Call, _ work: @escaping @Sendable () async throws -> Answer) async throws -> Answer
}

extension Way {
  /// A plain actor: every call works at once.
  static let plain = Way(isQuiet: { $0.open == $0.atWork.count }) { _, work in try await work() }

  /// A way that reports each call to ``Player/note(_:)``; calls may share work.
  ///
  /// - Parameters:
  ///   - running: The number of running jobs.
  ///   - perform: Makes a call.
  init(running: @escaping @Sendable () -> Int, perform: @escaping Perform) {
    self.init(isQuiet: { $0.haveAllArrived && running() == $0.atWork.count }, perform: perform)
  }
}
