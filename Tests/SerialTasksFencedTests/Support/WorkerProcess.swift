import TestWatch

extension TestProcess {
  /// Starts a process of `Tests/fenced-worker`.
  static func worker(_ arguments: String...) throws -> TestProcess { try TestProcess("fenced-worker", arguments) }

  /// Lets the holder go on.
  func writeLine() throws { try write("\n") }
}
