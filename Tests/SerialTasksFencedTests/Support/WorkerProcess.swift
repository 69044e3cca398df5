#if !os(Windows) && !os(WASI)
  import TestWatch
  import Testing

  extension TestProcess {
    /// Starts a process of `Tests/fenced-worker`.
    static func worker(_ arguments: String...) throws -> TestProcess { try TestProcess("fenced-worker", arguments) }

    /// The number of the holder's fence, which has read by then.
    func fence() async throws -> UInt64 { try #require(await next(1).first.flatMap { UInt64($0) }) }

    /// The numbers of the holder's fences, which has read by then.
    func fences() async throws -> [UInt64] {
      try #require(await next(1).first).split(separator: ",").compactMap { UInt64($0) }
    }

    /// Lets the holder go on.
    func writeLine() throws { try write("\n") }
  }
#endif
