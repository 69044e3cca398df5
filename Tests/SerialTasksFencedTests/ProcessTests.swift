#if !os(Windows) && !os(WASI)
  import Foundation
  import SerialTasksFenced
  import TestWatch
  import Testing
  import fenced_worker

  /// Real processes, of which some are killed or stopped.
  ///
  /// Not watched: nothing runs in this process while it waits for others.
  @Suite(.serialized, .timeLimit(.minutes(10))) struct ProcessTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    /// What `SERIALTASKS_LONG=1` makes ten times as much.
    private func size(_ short: Int) -> Int {
      ProcessInfo.processInfo.environment["SERIALTASKS_LONG"] == "1" ? 10 * short : short
    }

    /// What is in the store, key by key: each acknowledged job once, no count twice, and fences that never fall.
    private func check(_ acknowledged: [String], keys: Int) -> [Store.Record] {
      var all: [Store.Record] = []
      for key in 0..<keys {
        let records = Store(folder.store).records(of: "key\(key)")
        #expect(records.map(\.count) == Array(1..<(records.count + 1)), "jobs have overlapped")
        #expect(zip(records, records.dropFirst()).allSatisfy { $0.number <= $1.number }, "a fence has fallen")
        all += records
      }
      let jobs = all.map(\.job)
      #expect(Set(jobs).count == jobs.count, "a job has run twice")
      #expect(Set(acknowledged).subtracting(jobs).isEmpty, "an acknowledged job is lost")
      #expect(Set(acknowledged).count == acknowledged.count)
      return all
    }

    /// Fails if: two processes have access to a key at once, a job is lost, or numbers start again.
    @Test func sixProcessesOnAFewKeys() async throws {
      let jobs = size(1_000)
      var acknowledged: [String] = []
      var highest: [UInt64] = [0, 0, 0]
      for round in ["first", "second"] {
        let workers = try (1...6).map {
          try TestProcess.worker("run", "folder:\(folder.locks)", folder.store, "\(round)-\($0)", "\(jobs)", "3", "12")
        }
        for worker in workers {
          let (lines, status) = await worker.end()
          #expect(status == 0 && lines.count == jobs)
          acknowledged += lines
        }
        for key in 0..<3 {
          let records = Store(folder.store).records(of: "key\(key)").filter { $0.job.hasPrefix(round) }
          #expect(records.first!.number > highest[key], "a fence does not rise over a restart")
          highest[key] = records.last!.number
        }
      }
      #expect(check(acknowledged, keys: 3).count == 12 * jobs)
    }

    /// Fails if: a holder that is killed keeps its key, or a number is given twice when it was killed while it counted.
    @Test(arguments: [1, 2, 3] as [UInt64]) func holdersAreKilled(seed: UInt64) async throws {
      let acknowledged = try await withThrowingTaskGroup(of: [String].self) { group in
        for lane in 0..<3 as Range<UInt64> {
          group.addTask { [folder] in
            var random = SplitMix(seed: seed &* 1_000 &+ lane)
            var acknowledged: [String] = []
            for round in 0..<size(6) {
              let worker = try TestProcess.worker(
                "run", "folder:\(folder.locks)", folder.store, "\(lane)-\(round)", "10000", "2", "6")
              acknowledged += await worker.next(Int.random(in: 0..<80, using: &random))
              worker.send(SIGKILL)
              acknowledged += await worker.end().lines
            }
            return acknowledged
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      let last = try TestProcess.worker("run", "folder:\(folder.locks)", folder.store, "last", "20", "2", "2")
      let (lines, status) = await last.end()
      #expect(status == 0 && lines.count == 20)
      #expect(check(acknowledged + lines, keys: 2).count >= acknowledged.count + 20)
    }

    /// ```
    ///   holder ── SIGSTOP ─────────── its lease expires ───────────── SIGCONT ── writes: refused
    ///                other ── waits ───────────────── granted ── writes
    /// ```
    /// Fails if: a holder that was stopped past its validity gets a write into the store.
    @Test func aStoppedHolderWritesTooLate() async throws {
      let engine = "leases:300:\(folder.locks)"
      let holder = try TestProcess.worker("hold", engine, folder.store, "holder", "key0")
      let number = try await holder.fence()
      holder.send(SIGSTOP)
      let other = try TestProcess.worker("run", engine, folder.store, "other", "1", "1", "1")
      #expect(await other.end().lines == ["other-0"])
      holder.send(SIGCONT)
      try holder.writeLine()
      #expect(await holder.end().lines == ["lost", "refused"])
      #expect(check(["other-0"], keys: 1).allSatisfy { $0.number > number && $0.job == "other-0" })
    }

    /// ```
    ///   holder ── has read ── SIGSTOP ───────────────── SIGCONT ── writes: refused
    ///   other  ─────────────────── granted ── has read ─────────────────────────── writes
    /// ```
    /// Fails if: the late write is taken because the other holder has not written yet, and its update is lost.
    @Test func aLateWriteBetweenAReadAndItsWrite() async throws {
      let engine = "leases:300:\(folder.locks)"
      let holder = try TestProcess.worker("hold", engine, folder.store, "holder", "key0")
      let number = try await holder.fence()
      holder.send(SIGSTOP)
      let other = try TestProcess.worker("hold", engine, folder.store, "other", "key0")
      #expect(try await other.fence() > number)
      holder.send(SIGCONT)
      try holder.writeLine()
      #expect(await holder.end().lines == ["lost", "refused"])
      try other.writeLine()
      #expect(await other.end().lines.last == "written")
      #expect(check([], keys: 1).map(\.job) == ["other"])
    }

    /// A lock of the system does not expire: who waits for a stopped holder goes on when that is killed.
    ///
    /// Fails if: the lock outlives its holder, or the number does not rise.
    @Test func aStoppedHolderOfALockIsKilled() async throws {
      let engine = "folder:\(folder.locks)"
      let holder = try TestProcess.worker("hold", engine, folder.store, "holder", "key0")
      let number = try await holder.fence()
      holder.send(SIGSTOP)
      let other = try TestProcess.worker("run", engine, folder.store, "other", "1", "1", "1")
      holder.send(SIGKILL)
      #expect(await other.end().lines == ["other-0"])
      #expect(check(["other-0"], keys: 1).allSatisfy { $0.number > number })
    }

    /// Fails if: a holder whose folder was removed does not notice, or its successor's number is not higher.
    @Test func theFolderIsRemovedWhileItIsUsed() async throws {
      let engine = "folder:\(folder.locks)"
      let holder = try TestProcess.worker("hold", engine, folder.store, "holder", "key0")
      let number = try await holder.fence()
      try FileManager.default.removeItem(atPath: folder.locks)
      let other = try TestProcess.worker("run", engine, folder.store, "other", "1", "1", "1")
      #expect(await other.end().lines == ["other-0"])
      try holder.writeLine()
      #expect(await holder.end().lines == ["lost", "refused"])
      #expect(check(["other-0"], keys: 1).allSatisfy { $0.number > number })
    }

    /// Fails if: a full disk is not said, or half a counter is left behind.
    @Test func aFullDisk() async throws {
      let worker = try TestProcess.worker("full", "folder:\(folder.locks)", folder.store, "worker", "k")
      let error = "\(LockFolderError.system(call: "write", path: "\(folder.locks)/k.lock.new", code: EFBIG))"
      #expect(await worker.end().lines == [error, error, "granted"])
    }

    /// What closes when the parent is gone is closed here.
    ///
    /// Fails if: the processes of a test run that is killed go on.
    @Test func aWorkerEndsWithItsParent() async throws {
      let engine = "folder:\(folder.locks)"
      let holder = try TestProcess.worker("hold", engine, folder.store, "holder", "key0")
      _ = await holder.next(1)
      let waiter = try TestProcess.worker("run", engine, folder.store, "waiter", "1", "1", "1")
      try holder.closeInput()
      #expect(await holder.end().status == EXIT_FAILURE)
      #expect(await waiter.end().lines == ["waiter-0"])
      let orphan = try TestProcess.worker("run", engine, folder.store, "orphan", "1000000", "1", "1")
      _ = await orphan.next(1)
      try orphan.closeInput()
      #expect(await orphan.end().status == EXIT_FAILURE)
    }
  }
#endif
