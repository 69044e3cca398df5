import SerialTasks

/// An executor on real threads, and an account of its jobs.
final class SoakLine: Sendable {
  let name: String
  let executor: SerialTaskExecutor
  let isBounded: Bool
  let jobs = Counter()
  private let inside = Counter()
  /// By worker, the ticket of its latest job.
  private let latest: Exclusive<[Int]>

  init(_ name: String, capacity: Int? = nil, workers: Int) {
    self.name = name
    executor = SerialTaskExecutor(name: name, capacity: capacity)
    isBounded = capacity != nil
    latest = Exclusive(Array(repeating: 0, count: workers))
  }

  /// The body of a job: no other job runs meanwhile, and a worker's jobs come in the order in which it asked for them.
  func run(_ ticket: Int, of worker: Int, yields: Int) async {
    if inside.up() != 1 { Soak.fail("one at a time: two jobs of \(name) run at once") }
    if latest.value[worker] >= ticket { Soak.fail("first in, first out by place, in \(name)") }
    latest.value[worker] = ticket
    for _ in 0..<yields { await Task.yield() }
    jobs.up()
    inside.down()
  }
}
