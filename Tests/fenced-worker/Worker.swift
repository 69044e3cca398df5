#if !os(Windows) && !os(WASI)
  import Foundation
  import SerialTasks
  import SerialTasksFenced

  /// A process of the tests, which they start, stop and kill.
  ///
  ///     fenced-worker run   ENGINE STORE NAME JOBS KEYS CALLERS   runs jobs; prints the name of each that was acknowledged
  ///     fenced-worker move  ENGINE STORE NAME JOBS KEYS CALLERS   runs jobs of two keys each, named in either order
  ///     fenced-worker hold  ENGINE STORE NAME KEY,…               prints the numbers of its fences, waits for a line, and writes
  ///     fenced-worker keep  ENGINE STORE NAME KEY                 runs a job, prints its number, and waits for a line
  ///     fenced-worker pause ENGINE STORE NAME KEY                 asks for the key, pauses at a line, and resumes at the next
  ///     fenced-worker full  ENGINE STORE NAME KEY                 asks for access while no file can be written to, and again
  ///
  /// An engine is `folder:PATH`, or `leases:MILLISECONDS:PATH`; `kept:MILLISECONDS:` before it says how long access is kept.
  /// Under a lock, no write may be refused: the store, which would hide that two had the same key, must never have to. It ends
  /// when its standard input does, and so with its parent.
  @main struct Worker {
    let executor: FencedSerialTaskExecutor<String>
    let store: Store
    let name: String
    /// Whether access may be lost while its holder lives.
    let hasLeases: Bool
    /// Opened by the lines of standard input, one after the other.
    let lines = [Latch(), Latch()]

    static func main() async throws {
      let arguments = Array(CommandLine.arguments.dropFirst())
      guard arguments.count >= 5 else { fatalError("see Worker.swift") }
      let worker = Worker(
        executor: try engine(arguments[1]), store: Store(arguments[2]), name: arguments[3],
        hasLeases: arguments[1].contains("leases:"))
      try worker.readInput()
      switch arguments[0] {
      case "run", "move":
        let (jobs, keys, callers) = (Int(arguments[4])!, Int(arguments[5])!, Int(arguments[6])!)
        try await worker.run(jobs: jobs, callers: callers) { number in
          let key = number % keys
          // Two of them, and each pair in both orders.
          return arguments[0] == "run" ? [key] : [key, (key + 1 + number / keys % (keys - 1)) % keys]
        }
      case "hold": try await worker.hold(arguments[4].split(separator: ",").map(String.init))
      case "keep": try await worker.keep(arguments[4])
      case "pause": try await worker.pause(arguments[4])
      case "full": await worker.full(arguments[4])
      default: fatalError("see Worker.swift")
      }
    }

    private static func engine(_ text: String) throws -> FencedSerialTaskExecutor<String> {
      var parts = text.split(separator: ":").map(String.init)
      var keeping = Duration.zero
      if parts[0] == "kept" {
        keeping = .milliseconds(Int(parts[1])!)
        parts.removeFirst(2)
      }
      if parts[0] == "folder" {
        return FencedSerialTaskExecutor(
          name: "worker", access: try LockFolder(parts[1]), jobsPerAccess: 20, keepsAccessFor: keeping)
      }
      let leases = LeaseFiles(parts[2], validity: .milliseconds(Int(parts[1])!))
      return FencedSerialTaskExecutor(name: "worker", access: leases, jobsPerAccess: 20, keepsAccessFor: keeping)
    }

    private func run(jobs: Int, callers: Int, keys: @escaping @Sendable (Int) -> [Int]) async throws {
      try await withThrowingTaskGroup { group in
        for caller in 0..<callers {
          group.addTask {
            for number in stride(from: caller, to: jobs, by: callers) {
              try await job("\(name)-\(number)", keys(number).map { "key\($0)" })
            }
          }
        }
        try await group.waitForAll()
      }
      try await executor.drain()
    }

    /// Runs the job until it is in the store: access may be lost before it begins, or before it writes.
    private func job(_ job: String, _ keys: [String]) async throws {
      var isDone = false
      while !isDone {
        do {
          try await executor.enqueue(touching: keys) { fences in
            let last = try counts(fences)
            await Task.yield()
            try append(job, fences, last)
          }
          isDone = true
        } catch  where hasLeases && (error is Store.Refused || error is AccessError) {}
      }
      Worker.print(job)
    }

    /// The counts of all keys, read before any of them is written.
    private func counts(_ fences: [String: Fence]) throws -> [String: Int] {
      try fences.reduce(into: [:]) { $0[$1.key] = try store.last(of: $1.key, under: $1.value.number)?.count ?? 0 }
    }

    private func append(_ job: String, _ fences: [String: Fence], _ last: [String: Int]) throws {
      for (key, fence) in fences {
        try store.write(Store.Record(count: last[key]! + 1, number: fence.number, job: job), to: key)
      }
    }

    /// Holds the keys across whatever the test does to this process, and writes without looking whether it still holds them.
    private func hold(_ keys: [String]) async throws {
      try await executor.enqueue(touching: keys) { fences in
        let last = try counts(fences)
        Worker.print(keys.map { "\(fences[$0]!.number)" }.joined(separator: ","))
        _ = await lines[0].wait()
        for key in keys { do { try fences[key]!.check() } catch { Worker.print("lost") } }
        do {
          try append(name, fences, last)
          Worker.print("written")
        } catch { Worker.print("refused") }
      }
    }

    /// Keeps the key without a job, until it is told to write again.
    private func keep(_ key: String) async throws {
      for isFirst in [true, false] {
        try await executor.enqueue(for: key) { fence in
          try append(isFirst ? name : "\(name)-again", [key: fence], counts([key: fence]))
          Worker.print("\(fence.number)")
        }
        if isFirst { _ = await lines[0].wait() }
      }
      try await executor.drain()
    }

    private func pause(_ key: String) async throws {
      let job = Task { try await self.job(name, [key]) }
      _ = await lines[0].wait()
      try await executor.pauseAndWait()
      Worker.print("paused")
      _ = await lines[1].wait()
      executor.resume()
      try await job.value
      try await executor.drain()
    }

    /// Asks for access twice while the system lets no file grow, as on a full disk, and once more when it does again.
    private func full(_ key: String) async {
      signal(SIGXFSZ, SIG_IGN)
      let fileSize = Int32(1)  // RLIMIT_FSIZE, which is of another type on each system
      var limit = rlimit()
      getrlimit(.init(fileSize), &limit)
      let all = limit.rlim_cur
      for most in [0, 0, all] {
        limit.rlim_cur = most
        setrlimit(.init(fileSize), &limit)
        do {
          try await executor.enqueue(for: key) { _ in }
          Worker.print("granted")
        } catch { Worker.print("\(error)") }
      }
    }

    private func readInput() throws {
      try Threads.start { [lines] in
        var (byte, count): (UInt8, Int) = (0, 0)
        while read(0, &byte, 1) == 1 {
          if byte != UInt8(ascii: "\n") { continue }
          lines[count].open()
          count += 1
        }
        _exit(EXIT_FAILURE)
      }
    }

    /// A line in one call of the system, which is out even if the process is killed next.
    private static func print(_ line: String) {
      let bytes = Array("\(line)\n".utf8)
      _ = bytes.withUnsafeBytes { write(1, $0.baseAddress!, $0.count) }
    }
  }
#else
  /// There are no file locks here, and no tests that start it.
  @main struct Worker { static func main() {} }
#endif
