#if !os(Windows) && !os(WASI)
  import Foundation
  import Testing
  import fenced_worker

  /// Real processes with jobs over several keys, with access that they keep, and with pauses.
  ///
  /// Not watched: nothing runs in this process while it waits for others.
  @Suite(.serialized, .timeLimit(.minutes(10))) struct ProcessKeySetTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    private func size(_ short: Int) -> Int {
      ProcessInfo.processInfo.environment["SERIALTASKS_LONG"] == "1" ? 10 * short : short
    }

    private func records(_ key: Int) -> [Store.Record] { Store(folder.store).records(of: "key\(key)") }

    /// What is in the store: on each key no count twice and fences that never fall; each acknowledged job on two keys; and of two
    /// jobs the same is first on both, if they have both in common.
    private func check(_ acknowledged: [String], keys: Int) {
      var places: [String: [Int: Int]] = [:]
      for key in 0..<keys {
        let records = records(key)
        #expect(records.map(\.count) == Array(1..<(records.count + 1)), "jobs have overlapped")
        #expect(zip(records, records.dropFirst()).allSatisfy { $0.number <= $1.number }, "a fence has fallen")
        for (place, record) in records.enumerated() {
          #expect(places[record.job, default: [:]].updateValue(place, forKey: key) == nil, "a job has run twice")
        }
      }
      #expect(acknowledged.allSatisfy { places[$0]?.count == 2 }, "an acknowledged job is lost")
      for first in 0..<keys {
        for second in first + 1..<keys {
          let both = places.values.compactMap { place in place[first].flatMap { one in place[second].map { (one, $0) } }
          }
          let inOrder = both.sorted { $0.0 < $1.0 }.map(\.1)
          #expect(inOrder == inOrder.sorted(), "two jobs have run in two orders")
        }
      }
    }

    /// Fails if: two processes wait for each other (then it runs into the limit of time), have access to a key at once, or lose a
    /// job.
    @Test(arguments: ["", "kept:20:", "kept:3600000:"]) func processesNameKeysInOppositeOrders(kept: String)
      async throws
    {
      let jobs = size(120)
      let workers = try (1...4).map {
        try TestProcess.worker("move", "\(kept)folder:\(folder.locks)", folder.store, "w\($0)", "\(jobs)", "3", "6")
      }
      var acknowledged: [String] = []
      for worker in workers {
        let (lines, status) = await worker.end()
        #expect(status == 0 && lines.count == jobs)
        acknowledged += lines
      }
      check(acknowledged, keys: 3)
    }

    /// Fails if: a process that is killed while it holds one key and asks for another, or keeps one, keeps it from others.
    @Test func processesAreKilled() async throws {
      let engine = "kept:50:folder:\(folder.locks)"
      let acknowledged = try await withThrowingTaskGroup(of: [String].self) { group in
        for lane in 0..<3 {
          group.addTask { [folder] in
            var acknowledged: [String] = []
            for round in 0..<size(6) {
              let worker = try TestProcess.worker(
                "move", engine, folder.store, "\(lane)-\(round)", "10000", "3", "6")
              acknowledged += await worker.next(Int.random(in: 0..<60))
              worker.send(SIGKILL)
              acknowledged += await worker.end().lines
            }
            return acknowledged
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      let last = try TestProcess.worker("move", engine, folder.store, "last", "20", "3", "2")
      let (lines, status) = await last.end()
      #expect(status == 0 && lines.count == 20)
      check(acknowledged + lines, keys: 3)
    }

    /// ```
    ///   holder ── has read a and b ── SIGSTOP ── its leases expire ─────────────── SIGCONT ── writes: refused
    ///   other  ─────────────────────────────────── granted b and a ── has read both ─────────────────────── writes
    /// ```
    /// Fails if: one of several fences of a holder that was stopped too long lets a late write in.
    @Test func aStoppedHolderOfSeveralKeys() async throws {
      let engine = "leases:300:\(folder.locks)"
      let holder = try TestProcess.worker("hold", engine, folder.store, "holder", "key0,key1")
      let numbers = try await holder.fences()
      holder.send(SIGSTOP)
      let other = try TestProcess.worker("hold", engine, folder.store, "other", "key1,key0")
      let later = try await other.fences()
      #expect(later[1] > numbers[0] && later[0] > numbers[1])
      holder.send(SIGCONT)
      try holder.writeLine()
      #expect(await holder.end().lines == ["lost", "lost", "refused"])
      try other.writeLine()
      #expect(await other.end().lines.last == "written")
      for key in 0...1 { #expect(records(key).map(\.job) == ["other"]) }
    }

    /// Fails if: a process that keeps a key without a job does not hear of another, or goes on with its old number afterwards.
    @Test func aKeeperHearsOfAnother() async throws {
      let engine = "kept:3600000:folder:\(folder.locks)"
      let keeper = try TestProcess.worker("keep", engine, folder.store, "keeper", "key0")
      let first = try await keeper.fences()[0]
      #expect(isLocked("\(folder.locks)/key0.lock"))
      let other = try TestProcess.worker("run", engine, folder.store, "other", "1", "1", "1")
      #expect(await other.end().lines == ["other-0"])
      try keeper.writeLine()
      let (lines, status) = await keeper.end()
      #expect(status == 0 && lines.count == 1 && UInt64(lines[0])! > first + 1)
      #expect(records(0).map(\.job) == ["keeper", "other-0", "keeper-again"])
    }

    /// Fails if: a process that is killed keeps the key that it kept, or one whose lease has expired uses it again.
    @Test(arguments: [SIGKILL, SIGSTOP]) func aKeeperIsKilledOrStopped(signal: Int32) async throws {
      let engine = signal == SIGKILL ? "kept:3600000:folder:\(folder.locks)" : "kept:3600000:leases:300:\(folder.locks)"
      let keeper = try TestProcess.worker("keep", engine, folder.store, "keeper", "key0")
      let first = try await keeper.fences()[0]
      keeper.send(signal)
      let other = try TestProcess.worker("run", engine, folder.store, "other", "1", "1", "1")
      #expect(await other.end().lines == ["other-0"])
      if signal == SIGSTOP {
        keeper.send(SIGCONT)
        try keeper.writeLine()
        let lines = await keeper.end().lines
        #expect(lines.count == 1 && UInt64(lines[0])! > first + 1)
      } else {
        _ = await keeper.end()
      }
      #expect(records(0).map(\.job) == ["keeper", "other-0"] + (signal == SIGSTOP ? ["keeper-again"] : []))
    }

    /// Fails if: a process that is paused holds a lock, or stands in the way of others, or does not come to its key afterwards.
    @Test func aPausedProcessHoldsNoLock() async throws {
      let engine = "folder:\(folder.locks)"
      let holder = try TestProcess.worker("hold", engine, folder.store, "holder", "key0")
      _ = try await holder.fences()
      let paused = try TestProcess.worker("pause", engine, folder.store, "paused", "key0")
      // It waits for the key, and is next.
      try await until { isLocked("\(folder.locks)/key0.next") }
      try paused.writeLine()
      #expect(await paused.next(1) == ["paused"])
      // The thread that waited for it may be about to find that nothing wants the lock any more.
      try await until { !isLocked("\(folder.locks)/key0.next") }
      try holder.writeLine()
      #expect(await holder.end().lines == ["written"])
      let other = try TestProcess.worker("run", engine, folder.store, "other", "1", "1", "1")
      #expect(await other.end().lines == ["other-0"])
      try paused.writeLine()
      #expect(await paused.end().lines == ["paused"])
      #expect(records(0).map(\.job) == ["holder", "other-0", "paused"])
    }
  }
#endif
