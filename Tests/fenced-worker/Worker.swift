import SerialTasks
import SerialTasksFenced

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A process of the tests, which they start, stop and kill.
///
///     fenced-worker run  ENGINE STORE NAME JOBS KEYS CALLERS    runs jobs; prints the name of each that was acknowledged
///     fenced-worker hold ENGINE STORE NAME KEY                  prints the number of its fence, waits for a line, and writes
///     fenced-worker full ENGINE STORE NAME KEY                  asks for access while no file can be written to, and again
///
/// An engine is `folder:PATH`, or `leases:MILLISECONDS:PATH`. Under a lock, no write may be refused: the store, which would hide
/// that two had the same key, must never have to. It ends when its standard input does, and so with its parent.
@main struct Worker {
  let executor: FencedSerialTaskExecutor<String>
  let store: Store
  let name: String
  /// Whether access may be lost while its holder lives.
  let hasLeases: Bool
  /// Opened by a line of standard input.
  let line = Latch()

  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count >= 5 else { fatalError("see Worker.swift") }
    let worker = Worker(
      executor: try engine(arguments[1]), store: Store(arguments[2]), name: arguments[3],
      hasLeases: !arguments[1].hasPrefix("folder:"))
    try worker.readInput()
    switch arguments[0] {
    case "run":
      try await worker.run(jobs: Int(arguments[4])!, keys: Int(arguments[5])!, callers: Int(arguments[6])!)
    case "hold": try await worker.hold(arguments[4])
    case "full": await worker.full(arguments[4])
    default: fatalError("see Worker.swift")
    }
  }

  private static func engine(_ text: String) throws -> FencedSerialTaskExecutor<String> {
    let parts = text.split(separator: ":").map(String.init)
    if parts[0] == "folder" {
      return FencedSerialTaskExecutor(name: "worker", access: try LockFolder(parts[1]), jobsPerAccess: 20)
    }
    let leases = LeaseFiles(parts[2], validity: .milliseconds(Int(parts[1])!))
    return FencedSerialTaskExecutor(name: "worker", access: leases, jobsPerAccess: 20)
  }

  private func run(jobs: Int, keys: Int, callers: Int) async throws {
    try await withThrowingTaskGroup { group in
      for caller in 0..<callers {
        group.addTask {
          for number in stride(from: caller, to: jobs, by: callers) {
            try await job("\(name)-\(number)", "key\(number % keys)")
          }
        }
      }
      try await group.waitForAll()
    }
    try await executor.drain()
  }

  /// Runs the job until it is in the store: access may be lost before it begins, or before it writes.
  private func job(_ job: String, _ key: String) async throws {
    var isDone = false
    while !isDone {
      do {
        try await executor.enqueue(for: key) { fence in
          let last = try store.last(of: key, under: fence.number)
          await Task.yield()
          try store.write(Store.Record(count: (last?.count ?? 0) + 1, number: fence.number, job: job), to: key)
        }
        isDone = true
      } catch  where hasLeases && (error is Store.Refused || error is AccessError) {}
    }
    Worker.print(job)
  }

  /// Holds the key across whatever the test does to this process, and writes without looking whether it still holds it.
  private func hold(_ key: String) async throws {
    try await executor.enqueue(for: key) { fence in
      let last = try store.last(of: key, under: fence.number)
      Worker.print("\(fence.number)")
      _ = await line.wait()
      do { try fence.check() } catch { Worker.print("lost") }
      do {
        try store.write(Store.Record(count: (last?.count ?? 0) + 1, number: fence.number, job: name), to: key)
        Worker.print("written")
      } catch { Worker.print("refused") }
    }
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
    try Threads.start { [line] in
      var byte: UInt8 = 0
      while read(0, &byte, 1) == 1 { if byte == UInt8(ascii: "\n") { line.open() } }
      _exit(EXIT_FAILURE)
    }
  }

  /// A line in one call of the system, which is out even if the process is killed next.
  private static func print(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    _ = bytes.withUnsafeBytes { write(1, $0.baseAddress!, $0.count) }
  }
}
