/// What a task of ``DeadlockProgramsModel`` does, and what the jobs do that it asks for.
indirect enum DeadlockAct: Sendable {
  typealias Acts = [DeadlockAct]

  case step
  /// Waits for a job in one of the lines: three serial executors, and two keys of one executor.
  case enqueue(Int, Acts)
  /// Submits a job and does not wait for it, or only after something else.
  case submit(Int, Acts)
  case submitAndAwait(Int, Acts, meanwhile: Acts)
  case flight(Int, Acts)
  case read(Int, Acts)
  case write(Acts)
  case drain(Int)
  case drainAllKeys
  case drainRepository
  /// Child tasks, which are awaited by the task that starts them.
  case group([Acts])
  case asyncLet(Acts, Acts)
  /// A task that is not awaited.
  case unstructured(Acts, atOnce: Bool)
}

/// Draws programs, until there is nothing left to spend.
struct DeadlockDraw {
  let hasRepository: Bool
  let hasKeys: Bool
  /// Whether it is mostly about reads and one executor, so that reads wait for room and for each other.
  private let readsMuch: Bool
  private var left: Int
  private static let deepest = 3

  init(_ world: World) {
    readsMuch = world.random.once(in: 4)
    hasRepository = readsMuch || world.random.once(in: 2)
    hasKeys = world.random.once(in: 2)
    left = world.size(6...16, tiny: 4...5)
  }

  mutating func acts(_ random: inout SplitMix, depth: Int = 0) -> DeadlockAct.Acts {
    (0..<random.within(depth == 0 ? 1...3 : 0...2)).map { _ in act(&random, depth) }
  }

  private mutating func act(_ random: inout SplitMix, _ depth: Int) -> DeadlockAct {
    left -= 1
    if left < 0 || depth > DeadlockDraw.deepest { return .step }
    let next = depth + 1
    if readsMuch, !random.once(in: 4) {
      return random.once(in: 2)
        ? .enqueue(0, acts(&random, depth: next)) : .read(random.below(6), acts(&random, depth: next))
    }
    switch random.below(22) {
    case 0...6: return .enqueue(line(&random), acts(&random, depth: next))
    case 7: return .submit(line(&random), acts(&random, depth: next))
    case 8...9:
      return .submitAndAwait(
        line(&random), acts(&random, depth: next), meanwhile: random.once(in: 2) ? [act(&random, next)] : [])
    case 10...12: return .flight(random.below(2), acts(&random, depth: next))
    case 13 where hasKeys && random.once(in: 2): return .drainAllKeys
    case 13 where hasRepository && random.once(in: 2): return .drainRepository
    case 13: return .drain(line(&random))
    case 14...15: return .group((0..<2).map { _ in acts(&random, depth: next) })
    case 16: return .asyncLet(acts(&random, depth: next), acts(&random, depth: next))
    case 17: return .unstructured(acts(&random, depth: next), atOnce: random.once(in: 2))
    case 18...19 where hasRepository: return .read(random.below(3), acts(&random, depth: next))
    case 20 where hasRepository: return .write(acts(&random, depth: next))
    case 21: return .step
    default: return .enqueue(line(&random), acts(&random, depth: next))
    }
  }

  private func line(_ random: inout SplitMix) -> Int {
    hasKeys && random.once(in: 3) ? 3 + random.below(2) : random.below(3)
  }
}
