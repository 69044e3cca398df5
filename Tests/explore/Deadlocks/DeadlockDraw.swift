/// Draws programs, until there is nothing left to spend.
struct DeadlockDraw {
  let hasRepository: Bool
  let hasKeys: Bool
  /// Whether it is mostly about reads and one executor, so that reads wait for room and for each other.
  private let readsMuch: Bool
  /// Whether it begins with a key that is drained inside a job of another, and a job over both.
  private let drainsKeys: Bool
  private var left: Int
  private static let deepest = 3

  init(_ world: World) {
    readsMuch = world.random.once(in: 4)
    hasRepository = readsMuch || world.random.once(in: 2)
    drainsKeys = world.random.once(in: 8)
    hasKeys = drainsKeys || world.random.once(in: 2)
    left = world.size(6...16, tiny: 4...5)
  }

  /// What one of the tasks does.
  mutating func program(_ index: Int, _ random: inout SplitMix) -> DeadlockAct.Acts {
    let acts = acts(&random)
    guard drainsKeys else { return acts }
    switch index {
    case 0: return [.call(.keys(0, [0]), [.step, .step])] + acts
    case 1: return [.call(.keys(0, [1]), [.drain(.key(0, 0))] + acts)]
    case 2 where random.once(in: 2): return [.submit(.keys(0, [0, 1]), acts, meanwhile: nil)]
    case 2: return [.call(.keys(0, [1, 0]), acts)]
    default: return acts
    }
  }

  private mutating func acts(_ random: inout SplitMix, depth: Int = 0) -> DeadlockAct.Acts {
    (0..<random.within(depth == 0 ? 1...3 : 0...2)).map { _ in act(&random, depth) }
  }

  private mutating func act(_ random: inout SplitMix, _ depth: Int) -> DeadlockAct {
    left -= 1
    if left < 0 || depth > DeadlockDraw.deepest { return .step }
    let next = depth + 1
    if readsMuch, !random.once(in: 4) {
      let isRead = !random.once(in: 2)
      return call(isRead ? .read(random.below(6)) : random.once(in: 3) ? write(&random) : .line(0), &random, next)
    }
    switch random.below(22) {
    case 0...6: return call(target(&random), &random, next)
    case 7: return .submit(target(&random), acts(&random, depth: next), meanwhile: nil)
    case 8...9:
      return .submit(
        target(&random), acts(&random, depth: next), meanwhile: random.once(in: 2) ? [act(&random, next)] : [])
    case 10...12: return .call(.flight(random.below(2)), acts(&random, depth: next))
    case 13 where hasKeys && random.once(in: 2):
      return .drain(random.once(in: 2) ? .keys(0) : .key(0, random.below(3)))
    case 13 where hasRepository && random.once(in: 2): return .drain(.repository)
    case 13: return .drain(.line(random.below(3)))
    case 14...15: return .group((0..<2).map { _ in acts(&random, depth: next) })
    case 16: return .asyncLet(acts(&random, depth: next), acts(&random, depth: next))
    case 17: return .unstructured(acts(&random, depth: next), atOnce: random.once(in: 2))
    case 18...19 where hasRepository: return call(.read(random.below(3)), &random, next)
    case 20 where hasRepository: return call(write(&random), &random, next)
    case 21: return .step
    default: return call(target(&random), &random, next)
    }
  }

  private mutating func call(_ target: DeadlockTarget, _ random: inout SplitMix, _ depth: Int) -> DeadlockAct {
    .call(target, acts(&random, depth: depth), isLimited: random.once(in: 6))
  }

  private func target(_ random: inout SplitMix) -> DeadlockTarget {
    if hasKeys, random.once(in: 2) { return .keys(0, random.once(in: 10) ? [] : keys(&random)) }
    if hasRepository, random.once(in: 4) { return write(&random) }
    return .line(random.below(3))
  }

  private func write(_ random: inout SplitMix) -> DeadlockTarget {
    .write(random.once(in: 3) ? nil : keys(&random))
  }

  /// One of three keys, or two in any order.
  private func keys(_ random: inout SplitMix) -> [Int] {
    let first = random.below(3)
    return random.once(in: 2) ? [first] : [first, (first + 1 + random.below(2)) % 3]
  }
}
