import Comparing
import Synchronization

extension Contender {
  /// Bytes of each waiting caller, the task it runs in included.
  ///
  /// In an ordered line the first job stands before a gate and the others behind it; where there is no line, all of them
  /// stand before the gate.
  static func weighCallers(_ depth: Int, on context: Context) async -> Double? {
    let contender = Self()
    let gate = Gate(room: depth + 1)
    return await withTaskGroup(returning: Double?.self) { group in
      if keepsOrder {
        group.addTask { await contender.enqueue(.waits(gate)) }
        while gate.waiting == 0 { await Task.yield() }
      }
      let arrived = Counter()
      let work = keepsOrder ? Work.nothing : .waits(gate)
      let call = context.here {
        arrived.count()
        await contender.enqueue(work)
      }
      let bytes = await Heap.growth {
        for _ in 0..<depth { group.addTask(operation: call) }
        while arrived.value < depth { await Task.yield() }
      }
      gate.open()
      return bytes.map { Double($0) / Double(depth) }
    }
  }
}

extension Submitting {
  /// Bytes of each submitted job that waits.
  static func weighSubmissions(_ depth: Int) async -> Double? {
    let contender = Self()
    let gate = Gate(room: depth + 1)
    let countdown = Countdown(depth + (keepsOrder ? 1 : 0))
    if keepsOrder {
      contender.submit(.waits(gate)) { _ = countdown.isLast() }
      while gate.waiting == 0 { await Task.yield() }
    }
    let work = keepsOrder ? Work.nothing : .waits(gate)
    let bytes = await Heap.growth {
      for _ in 0..<depth { contender.submit(work) { _ = countdown.isLast() } }
      while !keepsOrder && gate.waiting < depth { await Task.yield() }
    }
    gate.open()
    while !countdown.isZero { await Task.yield() }
    return bytes.map { Double($0) / Double(depth) }
  }
}

/// How many callers have come.
final class Counter: Sendable {
  private let arrived = Atomic(0)
  var value: Int { arrived.load(ordering: .relaxed) }
  func count() { arrived.add(1, ordering: .relaxed) }
}
