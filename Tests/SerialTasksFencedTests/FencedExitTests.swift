import SerialTasksFenced
import Testing

/// What only a process of its own can show.
///
/// Not watched: each waits for another process.
@Suite struct FencedExitTests {
  /// Fails if: one is only looked at when the first job comes, or not given to the line, or it traps without a word.
  @Test(arguments: ["capacityPerKey", "capacity", "jobsPerAccess"]) func lessThanOne(_ what: String) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [what] in
      switch what {
      case "capacity": _ = Bank(access: Engine(), capacity: 0)
      case "capacityPerKey": _ = Bank(access: Engine(), capacityPerKey: 0)
      default: _ = Bank(access: Engine(), jobsPerAccess: 0)
      }
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("\(what) must be at least 1, but is 0"), "\(message)")
  }

  #if !os(Windows) && !os(WASI)
    /// Fails if: internal executors of a fenced executor or a lock folder are in the report, although the user never made them.
    @Test func nothingElseIsInAReport() async {
      await #expect(processExitsWith: .success) {
        let folder = try Folder()
        let locks = try LockFolder(folder.locks)
        let (first, second) = (Bank(name: "f", access: locks), Bank(name: "g", access: locks))
        let waiting = try await first.enqueue(for: "ann", name: "first") { _ in
          let waiting = Task.immediate { try await second.enqueue(for: "ann", name: "second") { _ in } }
          // Without its key: that is there once the request of the second one has begun.
          let names = WaitReport.current.executors.map { "\($0.name.prefix { $0 != "[" }) \($0.holder ?? "-")" }
          guard names == ["f first", "f access -", "g -", "g access -"] else { fatalError("\(names)") }
          return waiting
        }
        try await waiting.value
      }
    }
  #endif
}
