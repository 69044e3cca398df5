/// Draws programs of statements that each hold two or three things.
struct OrderDraw {
  private var random: SplitMix
  /// Few kinds at a time, so that they meet.
  private let targets: [DeadlockTarget]

  init(_ random: SplitMix) {
    self.random = random
    let kinds: [[DeadlockTarget]] = [
      [.line(0), .line(1)], [.line(0), .line(2)], [.keys(0, [0]), .keys(0, [1]), .keys(0, [0, 1])],
      [.keys(1, [0]), .keys(1, [1]), .keys(1, [2])],
      [.write([0]), .read(0), .read(0, isText: true), .read(1), .write([0, 1]), .write(nil)],
      [.flight(0), .flight(1)], [.reload], [.renewal],
    ]
    let (first, second) = (self.random.below(kinds.count), self.random.below(kinds.count))
    targets = kinds[first] + kinds[second] + (self.random.once(in: 2) ? [.line(0)] : [])
  }

  mutating func statements() -> DeadlockAct.Acts { (0..<random.within(2...4)).map { _ in act(depth: 0) } }

  /// What a renewal does, which is not asked for by name.
  mutating func renewal() -> DeadlockAct.Acts { random.once(in: 2) ? [act(depth: 2)] : [] }

  private mutating func acts(depth: Int) -> DeadlockAct.Acts {
    if depth >= 3 { return [] }
    if depth == 1 { return (0..<(random.once(in: 5) ? 2 : random.once(in: 6) ? 0 : 1)).map { _ in act(depth: depth) } }
    return random.once(in: 2) ? [act(depth: depth)] : []
  }

  private mutating func act(depth: Int) -> DeadlockAct {
    let target = targets[random.below(targets.count)]
    let inner = acts(depth: depth + 1)
    switch random.below(20) {
    case 0...1 where target.canBeSubmitted: return .submit(target, inner, meanwhile: [])
    case 2 where target.canBeLimited: return .call(target, inner, isLimited: true)
    case 3 where depth > 0: return .drain(queue(target))
    case 4 where depth > 0: return .group([[act(depth: depth + 1)], [act(depth: depth + 1)]])
    case 5 where depth > 0: return .unstructured(inner, atOnce: false)
    default: return .call(target, inner)
    }
  }

  private func queue(_ target: DeadlockTarget) -> DeadlockRecord.Queue {
    switch target {
    case .line(let line): .line(line)
    case .keys(0, let keys): keys.count == 1 ? .key(0, keys[0]) : .keys(0)
    case .keys, .reload, .renewal: .line(0)
    case .write, .read: .repository
    case .flight: .flights
    }
  }
}

extension DeadlockTarget {
  fileprivate var canBeSubmitted: Bool {
    switch self {
    case .line, .keys, .write: true
    case .read, .flight, .reload, .renewal: false
    }
  }

  fileprivate var canBeLimited: Bool { if case .read = self { true } else { canBeSubmitted } }
}
