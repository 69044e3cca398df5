/// A way for calls to reach the code that does their work.
struct Way: Sendable {
  /// Whether nothing more can happen before time passes.
  let isQuiet: @Sendable (Log.Situation) -> Bool
  /// Makes the call.
  let perform: Perform

  typealias Perform = @Sendable (Call, _ work: @escaping @Sendable () async -> Answer) async throws -> Answer
}

extension Way {
  /// A plain actor: every call works at once.
  static let plain = Way(waiting: { 0 }) { _, work in await work() }

  /// A way in which each unanswered call either works or waits.
  ///
  /// - Parameters:
  ///   - waiting: The number of waiting calls.
  ///   - perform: Makes a call.
  init(waiting: @escaping @Sendable () -> Int, perform: @escaping Perform) {
    self.init(isQuiet: { $0.open - waiting() == $0.atWork.count }, perform: perform)
  }

  /// A way that reports each call to ``Player/note(_:)``, and in which calls may share work.
  ///
  /// - Parameters:
  ///   - running: The number of running jobs.
  ///   - perform: Makes a call.
  init(running: @escaping @Sendable () -> Int, perform: @escaping Perform) {
    self.init(isQuiet: { $0.haveAllArrived && running() == $0.atWork.count }, perform: perform)
  }
}
