#if !os(Windows) && !os(WASI)
  import Foundation
  import SerialTasksFenced
  import TestWatch
  import Testing

  /// Real processes, of which some are killed or stopped.
  ///
  /// Not watched: nothing runs in this process while it waits for others.
  @Suite(.serialized, .timeLimit(.minutes(10))) struct ProcessTests {
    let processes: Processes

    init() throws { processes = try Processes() }

    /// Fails if: two processes have access to a key at once, or wait for each other as they name keys in opposite orders (then it runs
    /// into the limit of time), a job is lost, or numbers start again.
    @Test(arguments: [("run", ""), ("move", ""), ("move", "kept:20:"), ("move", "kept:3600000:")])
    func fourProcessesOnAFewKeys(what: String, kept: String) async throws {
      let (isSet, jobs) = (what == "move", Processes.size(what == "move" ? 60 : 1_000))
      var acknowledged: [String] = []
      var highest: [UInt64] = [0, 0, 0]
      for round in ["first", "second"] {
        let workers = try (1...4).map {
          try processes.start(what, kept + processes.locks, "\(round)-\($0)", "\(jobs)", "3", "12")
        }
        for worker in workers {
          let (lines, status) = await worker.end()
          #expect(status == 0 && lines.count == jobs)
          acknowledged += lines
        }
        for key in 0..<3 {
          let records = processes.records(key).filter { $0.job.hasPrefix(round) }
          #expect(records.first!.number > highest[key], "a fence does not rise over a restart")
          highest[key] = records.last!.number
        }
      }
      #expect(Set(acknowledged).count == 8 * jobs)
      processes.check(acknowledged, keys: 3, ofEach: isSet ? 2 : 1)
    }

    /// Fails if: a holder that is killed keeps its key, also if it only kept it or asks for another, or a number is given twice when it
    /// was killed while it counted.
    @Test(arguments: [("run", 1), ("run", 2), ("run", 3), ("move", 1)]) func holdersAreKilled(
      what: String, seed: UInt64
    ) async throws {
      let (isSet, keys) = (what == "move", what == "move" ? "3" : "2")
      let engine = isSet ? "kept:50:\(processes.locks)" : processes.locks
      let acknowledged = try await withThrowingTaskGroup(of: [String].self) { group in
        for lane in 0..<3 as Range<UInt64> {
          group.addTask {
            var random = SplitMix(seed: seed &* 1_000 &+ lane)
            var acknowledged: [String] = []
            for round in 0..<Processes.size(6) {
              let worker = try processes.start(what, engine, "\(lane)-\(round)", "10000", keys, "6")
              acknowledged += await worker.next(Int.random(in: 0..<80, using: &random))
              worker.send(SIGKILL)
              acknowledged += await worker.end().lines
            }
            return acknowledged
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      let (lines, status) = try await processes.start(what, engine, "last", "20", keys, "2").end()
      #expect(status == 0 && lines.count == 20)
      processes.check(acknowledged + lines, keys: Int(keys)!, ofEach: isSet ? 2 : 1)
    }

    enum Loss: CaseIterable { case leaseExpires, lockHolderIsKilled, folderIsRemoved }

    /// ```
    ///   holder ── SIGSTOP ─────────── its lease expires ───────────── SIGCONT ── writes: refused
    ///                other ── waits ───────────────── granted ── writes
    /// ```
    /// A lock of the system does not expire: who waits for a stopped holder goes on when that is killed.
    ///
    /// Fails if: a holder that was stopped past its validity, or whose folder was removed, does not notice or gets a write into the
    /// store; the lock outlives its holder, or the number does not rise.
    @Test(arguments: Loss.allCases) func aHolderLosesItsKey(_ loss: Loss) async throws {
      let engine = loss == .leaseExpires ? processes.leases : processes.locks
      let holder = try processes.start("hold", engine, "holder", "key0")
      let number = try await holder.fences()[0]
      if loss == .folderIsRemoved {
        try FileManager.default.removeItem(atPath: processes.folder.locks)
      } else {
        holder.send(SIGSTOP)
      }
      let other = try processes.start("run", engine, "other", "1", "1", "1")
      if loss == .lockHolderIsKilled { holder.send(SIGKILL) }
      #expect(await other.end().lines == ["other-0"])
      if loss != .lockHolderIsKilled {
        holder.send(SIGCONT)
        try holder.writeLine()
        #expect(await holder.end().lines == ["lost", "refused"])
      }
      #expect(processes.records().map(\.job) == ["other-0"] && processes.records()[0].number > number)
    }

    /// Fails if: a full disk is not said, or half a counter is left behind.
    @Test func aFullDisk() async throws {
      let worker = try processes.start("full", processes.locks, "worker", "k")
      let path = "\(processes.folder.locks)/k.lock.new"
      let error = "\(LockFolderError.system(call: "write", path: path, code: EFBIG))"
      #expect(await worker.end().lines == [error, error, "granted"])
    }

    /// What closes when the parent is gone is closed here.
    ///
    /// Fails if: the processes of a test run that is killed go on.
    @Test func aWorkerEndsWithItsParent() async throws {
      let holder = try processes.start("hold", processes.locks, "holder", "key0")
      _ = await holder.next(1)
      let waiter = try processes.start("run", processes.locks, "waiter", "1", "1", "1")
      try holder.closeInput()
      #expect(await holder.end().status == EXIT_FAILURE)
      #expect(await waiter.end().lines == ["waiter-0"])
      let orphan = try processes.start("run", processes.locks, "orphan", "1000000", "1", "1")
      _ = await orphan.next(1)
      try orphan.closeInput()
      #expect(await orphan.end().status == EXIT_FAILURE)
    }
  }
#endif
