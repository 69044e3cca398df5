#if !os(Windows) && !os(WASI)
  import Foundation
  import TestWatch
  import Testing

  /// Real processes that are stopped between a read and a write, keep access, or pause.
  ///
  /// Not watched: nothing runs in this process while it waits for others.
  @Suite(.serialized, .timeLimit(.minutes(10))) struct ProcessKeySetTests {
    let processes: Processes

    init() throws { processes = try Processes() }

    /// ```
    ///   holder ── has read ── SIGSTOP ── its leases expire ─────────────── SIGCONT ── writes: refused
    ///   other  ─────────────────────────────── granted ── has read ─────────────────────────────── writes
    /// ```
    /// Fails if: the late write is taken because the other holder has not written yet, and its update is lost; or one of several fences
    /// of a holder that was stopped too long lets it in.
    @Test(arguments: [["key0"], ["key0", "key1"]]) func aLateWriteBetweenAReadAndItsWrite(keys: [String]) async throws {
      let holder = try processes.start("hold", processes.leases, "holder", keys.joined(separator: ","))
      let numbers = try await holder.fences()
      holder.send(SIGSTOP)
      let other = try processes.start("hold", processes.leases, "other", keys.reversed().joined(separator: ","))
      let later = try await other.fences()
      #expect(zip(later.reversed(), numbers).allSatisfy { $0 > $1 })
      holder.send(SIGCONT)
      try holder.writeLine()
      #expect(await holder.end().lines == keys.map { _ in "lost" } + ["refused"])
      try other.writeLine()
      #expect(await other.end().lines.last == "written")
      for key in keys.indices { #expect(processes.records(key).map(\.job) == ["other"]) }
    }

    enum Fate: CaseIterable { case hears, isKilled, isStopped }

    /// Fails if: a process that keeps a key without a job does not hear of another, or goes on with its old number afterwards; one that
    /// is killed keeps the key that it kept, or one whose lease has expired uses it again.
    @Test(arguments: Fate.allCases) func aKeeper(_ fate: Fate) async throws {
      let engine = "kept:3600000:\(fate == .isStopped ? processes.leases : processes.locks)"
      let keeper = try processes.start("keep", engine, "keeper", "key0")
      let first = try await keeper.fences()[0]
      switch fate {
      case .hears: #expect(isLocked("\(processes.folder.locks)/key0.lock"))
      case .isKilled: keeper.send(SIGKILL)
      case .isStopped: keeper.send(SIGSTOP)
      }
      try await processes.expectOtherRuns(engine)
      if fate != .isKilled {
        keeper.send(SIGCONT)
        try keeper.writeLine()
        let lines = await keeper.end().lines
        #expect(lines.count == 1 && UInt64(lines[0])! > first + 1)
      }
      #expect(processes.records().map(\.job) == ["keeper", "other-0"] + (fate == .isKilled ? [] : ["keeper-again"]))
    }

    /// Fails if: a process that is paused holds a lock, or stands in the way of others, or does not come to its key afterwards.
    @Test func aPausedProcessHoldsNoLock() async throws {
      let next = "\(processes.folder.locks)/key0.next"
      let holder = try processes.start("hold", processes.locks, "holder", "key0")
      _ = try await holder.fences()
      let paused = try processes.start("pause", processes.locks, "paused", "key0")
      // It waits for the key, and is next.
      try await until { isLocked(next) }
      try paused.writeLine()
      #expect(await paused.next(1) == ["paused"])
      // The thread that waited for it may be about to find that nothing wants the lock any more.
      try await until { !isLocked(next) }
      try holder.writeLine()
      #expect(await holder.end().lines == ["written"])
      try await processes.expectOtherRuns(processes.locks)
      try paused.writeLine()
      #expect(await paused.end().lines == ["paused"])
      #expect(processes.records().map(\.job) == ["holder", "other-0", "paused"])
    }
  }
#endif
