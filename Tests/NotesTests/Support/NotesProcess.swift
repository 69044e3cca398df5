import TestWatch

extension TestProcess {
  /// Starts the demonstration as a process of its own.
  ///
  /// - Parameters:
  ///   - arguments: What follows the program's name.
  ///   - temporary: The folder that it may leave nothing in.
  ///   - input: All that it reads from standard input.
  /// - Returns: The process, which runs.
  /// - Throws: What the system says.
  static func notes(_ arguments: [String], temporary: TemporaryFolder, input: String = "") throws -> TestProcess {
    let process = try TestProcess("notes", arguments, environment: ["TMPDIR": temporary.path], readsErrors: true)
    try process.write(input)
    try process.closeInput()
    return process
  }
}
