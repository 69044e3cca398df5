import CoalescingTasks
import Synchronization

/// Three keys on real threads, each with a version: a write raises those of its keys, a read returns that of its key.
///
/// Workers make drawn calls. Each notes when it was asked, when it certainly had its place, when it was answered, and
/// when its operation began and ended. A moment is a number that rises: what has the lower one came first. ``verdict``
/// uses these bounds and nothing closer.
package final class Register: Sendable {
  package enum Way: Sendable { case read, readText, submitRead, write, submitWrite, drain, pause, clear }

  /// What an operation came to, returned or thrown: whose it was, and the versions of its keys.
  package struct Value: Error {
    let call: Int
    let versions: [Int]

    package init(of call: Int, _ versions: [Int]) { (self.call, self.versions) = (call, versions) }
  }

  private struct Text: Sendable { let value: Value }

  /// Safe because each property is written by one task, and read when all have ended.
  package final class Call: @unchecked Sendable {
    let number: Int
    let way: Way
    /// `nil` is every key.
    let keys: [Int]?
    package var (asked, placed, answered) = (0, Int.max, Int.max)
    package var (answers, value, rejection): (Int, Value?, JobRejection?) = (0, nil, nil)
    package var (runs, began, ended) = (0, Int.max, Int.max)
    /// The versions at its beginning, and at its end.
    package var (found, left): ([Int], [Int]) = ([], [])
    package var isCancelled = false
    /// After it looked whether it was cancelled.
    package var looked = 0
    /// Whether its task or its handle is cancelled at some time; for a handle, after how much spinning.
    fileprivate(set) var (mayBeCancelled, spins): (Bool, Int?) = (false, nil)
    /// Whether it is made in the turn of another: then it goes before jobs that wait, and is not shared.
    fileprivate(set) var isInside = false
    fileprivate var (yields, fails, inner): (Int, Bool, Call?) = (0, false, nil)

    package init(_ number: Int, _ way: Way, _ keys: [Int]?) { (self.number, self.way, self.keys) = (number, way, keys) }
  }

  /// Safe because only operations touch it, and no write of its key runs beside another job: that is what is tested, and
  /// ThreadSanitizer sees whether it is true.
  private final class Version: @unchecked Sendable { var value = 0 }

  /// In the order in which each worker makes them.
  package let calls: [Call]
  let limit: Int?
  private let workers: [[Call]]
  /// Which workers are cancelled, and after how much spinning.
  private let cancels: [Int: Int]
  private let executor: CoalescingTaskExecutor<Int>
  private let versions = (0..<3).map { _ in Version() }
  private let clock = Atomic(0)

  private init(_ workers: [[Call]], cancels: [Int: Int], limit: Int?) {
    (self.workers, self.cancels, self.limit) = (workers, cancels, limit)
    calls = workers.joined().flatMap { [$0, $0.inner].compactMap(\.self) }
    executor = CoalescingTaskExecutor(name: "register", maximumConcurrentReads: limit)
  }

  /// Creates a register whose calls have already been made.
  package convenience init(madeBy calls: [Call], limit: Int? = nil) { self.init([calls], cancels: [:], limit: limit) }

  /// Draws a register, and who will call it.
  package convenience init(workers count: Int, calls: Int, _ random: inout some RandomNumberGenerator) {
    let isDisturbed = Bool.random(using: &random)
    var (number, cancels) = (0, [Int: Int]())
    let workers = (0..<count).map { worker -> [Call] in
      if random.next() % 3 == 0 { cancels[worker] = Int(random.next() % 20_000) }
      return (0..<calls).map { _ -> Call in
        let call = Register.call(number, isDisturbed, cancels[worker] != nil, &random)
        number += call.inner == nil ? 1 : 2
        return call
      }
    }
    self.init(workers, cancels: cancels, limit: [nil, nil, 1, 2].randomElement(using: &random)!)
  }

  private static func call(
    _ number: Int, _ isDisturbed: Bool, _ isCancelled: Bool, _ random: inout some RandomNumberGenerator
  ) -> Call {
    let ways: [Way] = [.read, .read, .read, .readText, .submitRead, .write, .write, .submitWrite, .submitWrite, .drain]
    let way = (isDisturbed ? ways + [.pause, .clear] : ways).randomElement(using: &random)!
    let keys = [0, 1, 2].shuffled(using: &random)
    let sets = [[keys[0]], [keys[0]], [keys[0], keys[1]], [keys[0], keys[1]], keys, nil, nil, []]
    let nests = way == .write && Bool.random(using: &random)
    let call = Call(number, way, way.isWrite && !nests ? sets.randomElement(using: &random)! : [keys[0]])
    (call.yields, call.fails) = (Int(random.next() % 4), random.next() % 5 == 0)
    if way == .pause || random.next() % 2 == 0 { call.spins = Int(random.next() % 300) }
    call.mayBeCancelled = isCancelled || call.spins != nil
    if nests {
      // Two that do so may be rejected as a deadlock.
      let inner = Call(number + 1, .read, [keys[1]])
      (inner.isInside, inner.mayBeCancelled, call.inner) = (true, isCancelled, inner)
    }
    return call
  }
}

// MARK: - Playing

extension Register {
  /// Makes the calls, on the threads of the pool.
  package func play() async throws {
    await withTaskGroup(of: Void.self) { group in
      for (worker, calls) in workers.enumerated() {
        let task = Task.detached(priority: [.low, .medium, .high][worker % 3]) { [self] in
          for call in calls { await play(call) }
        }
        group.addTask { [self] in
          if let spins = cancels[worker] {
            spin(spins)
            task.cancel()
          }
          await task.value
        }
      }
    }
    try await executor.drain()
  }

  private func play(_ call: Call) async {
    call.asked = now()
    do {
      switch call.way {
      case .read: answer(call, try await executor.read(call.touched[0]) { [self] in try await run(call) })
      case .readText:
        answer(call, try await executor.read(call.touched[0]) { [self] in Text(value: try await run(call)) }.value)
      case .write where call.keys == nil: answer(call, try await executor.write { try await run(call) })
      case .write: answer(call, try await executor.write(touching: call.touched) { try await run(call) })
      case .submitRead: submitted(call, executor.submitRead(call.touched[0]) { [self] in try await run(call) })
      case .submitWrite where call.keys == nil:
        submitted(call, executor.submitWrite { [self] in try await run(call) })
      case .submitWrite:
        submitted(call, executor.submitWrite(touching: call.touched) { [self] in try await run(call) })
      case .drain:
        try await executor.drain()
        answer(call, Value(of: call.number, []))
      case .pause:
        executor.pause()
        spin(call.spins!)
        executor.resume()
      case .clear:
        executor.cancelAll()
        call.answered = now()
      }
    } catch { answer(call, throwing: error) }
  }

  private func submitted(_ call: Call, _ handle: SubmittedJob<Value>) {
    call.placed = now()
    handle.whenComplete { [self] result in
      switch result {
      case .success(let value): answer(call, value)
      case .failure(let error): answer(call, throwing: error)
      }
    }
    if let spins = call.spins {
      spin(spins)
      handle.cancel()
    }
  }

  private func answer(_ call: Call, _ value: Value? = nil, throwing error: (any Error)? = nil) {
    (call.answers, call.answered) = (call.answers + 1, now())
    call.value = value ?? error as? Value
    if call.value == nil { call.rejection = error as? JobRejection ?? .cancelled }
  }

  /// The operation of a call: it writes late, so that a job that comes too early finds what was.
  private func run(_ call: Call) async throws(Value) -> Value {
    (call.runs, call.began, call.found) = (call.runs + 1, now(), call.touched.map { versions[$0].value })
    for _ in 0..<call.yields { await Task.yield() }
    if call.way.isWrite { for key in call.touched { versions[key].value += 1 } }
    if let inner = call.inner { await play(inner) }
    let value = Value(of: call.number, call.touched.map { versions[$0].value })
    (call.left, call.ended) = (value.versions, now())
    call.isCancelled = Task.isCancelled  // after the moment: the last caller may leave in between
    call.looked = now()
    if call.fails { throw value }
    return value
  }

  private func now() -> Int { clock.add(1, ordering: .acquiringAndReleasing).newValue }

  /// Passes a moment without giving up the thread.
  private func spin(_ rounds: Int) {
    let passed = Atomic(0)
    for _ in 0..<rounds { passed.add(1, ordering: .relaxed) }
  }
}
