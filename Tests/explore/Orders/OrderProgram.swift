import CoalescingTasks

/// What a task of ``OrdersModel`` does: it asks for something, and does more while it holds that.
indirect enum OrderAct: Sendable, Hashable {
  case hold(OrderTarget, [OrderAct])
  /// Submits a job, and awaits it.
  case await(OrderTarget, [OrderAct])
  /// Asks with a limit.
  case limited(OrderTarget, [OrderAct])
  case drain(OrderDrain)
  /// Child tasks beside each other.
  case children([OrderAct])
  /// A task that is not awaited.
  case unstructured([OrderAct])
}

extension OrderAct {
  /// How many acts there are in it.
  var count: Int {
    switch self {
    case .hold(_, let inner), .await(_, let inner), .limited(_, let inner), .unstructured(let inner),
      .children(let inner):
      inner.reduce(1) { $0 + $1.count }
    case .drain: 1
    }
  }

  /// The same without some of what is done inside.
  func part(_ random: inout SplitMix) -> OrderAct {
    func some(_ inner: [OrderAct]) -> [OrderAct] {
      let all = inner.map { (random.once(in: 3), $0.part(&random)) }
      return all.filter { !$0.0 }.map(\.1)
    }
    switch self {
    case .hold(let target, let inner): return .hold(target, some(inner))
    case .await(let target, let inner): return .await(target, some(inner))
    case .limited(let target, let inner): return .limited(target, some(inner))
    case .unstructured(let inner): return .unstructured(some(inner))
    case .children(let inner): return .children(some(inner))
    case .drain: return self
    }
  }

  var drains: Bool {
    switch self {
    case .hold(_, let inner), .await(_, let inner), .limited(_, let inner), .unstructured(let inner),
      .children(let inner):
      inner.contains(where: \.drains)
    case .drain: true
    }
  }

  var renews: Bool {
    switch self {
    case .hold(let target, let inner), .await(let target, let inner), .limited(let target, let inner):
      target == .renewal || inner.contains(where: \.renews)
    case .unstructured(let inner), .children(let inner): inner.contains(where: \.renews)
    case .drain: false
    }
  }
}

/// What can be held.
enum OrderTarget: Sendable, Hashable {
  case line(Int)
  /// One key of an executor of keys, or several.
  case keys([Int])
  /// The same of one that has a slot, or two.
  case fewKeys(Int)
  /// A write of these keys, or of every key.
  case write([Int]?)
  /// A read of one of two types.
  case read(Int, isText: Bool)
  case flight(Int)
  case reload
  case renewal
}

enum OrderDrain: Sendable, Hashable { case line(Int), keys, key(Int), store, flights }

/// Draws programs of statements that each hold two or three things.
struct OrderDraw {
  private var random: SplitMix
  /// Few kinds at a time, so that they meet.
  private let targets: [OrderTarget]

  init(_ random: SplitMix) {
    self.random = random
    let kinds: [[OrderTarget]] = [
      [.line(0), .line(1)], [.line(0), .line(2)], [.keys([0]), .keys([1]), .keys([0, 1])],
      [.fewKeys(0), .fewKeys(1), .fewKeys(2)],
      [
        .write([0]), .read(0, isText: false), .read(0, isText: true), .read(1, isText: false), .write([0, 1]),
        .write(nil),
      ],
      [.flight(0), .flight(1)], [.reload], [.renewal],
    ]
    let (first, second) = (self.random.below(kinds.count), self.random.below(kinds.count))
    targets = kinds[first] + kinds[second] + (self.random.once(in: 2) ? [.line(0)] : [])
  }

  mutating func statements() -> [OrderAct] { (0..<random.within(2...4)).map { _ in act(depth: 0) } }

  /// What a renewal does, which is not asked for by name.
  mutating func renewal() -> [OrderAct] { random.once(in: 2) ? [act(depth: 2)] : [] }

  private mutating func acts(depth: Int) -> [OrderAct] {
    if depth >= 3 { return [] }
    if depth == 1 { return (0..<(random.once(in: 5) ? 2 : random.once(in: 6) ? 0 : 1)).map { _ in act(depth: depth) } }
    return random.once(in: 2) ? [act(depth: depth)] : []
  }

  private mutating func act(depth: Int) -> OrderAct {
    let target = targets[random.below(targets.count)]
    let inner = acts(depth: depth + 1)
    switch random.below(20) {
    case 0...1 where target.canBeSubmitted: return .await(target, inner)
    case 2 where target.canBeLimited: return .limited(target, inner)
    case 3 where depth > 0: return .drain(drain(target))
    case 4 where depth > 0: return .children([act(depth: depth + 1), act(depth: depth + 1)])
    case 5 where depth > 0: return .unstructured(inner)
    default: return .hold(target, inner)
    }
  }

  private func drain(_ target: OrderTarget) -> OrderDrain {
    switch target {
    case .line(let line): .line(line)
    case .keys(let keys): keys.count == 1 ? .key(keys[0]) : .keys
    case .fewKeys, .reload, .renewal: .line(0)
    case .write, .read: .store
    case .flight: .flights
    }
  }
}

extension OrderTarget {
  var canBeSubmitted: Bool {
    switch self {
    case .line, .keys, .fewKeys, .write: true
    case .read, .flight, .reload, .renewal: false
    }
  }

  var canBeLimited: Bool {
    switch self {
    case .line, .keys, .fewKeys, .write, .read: true
    case .flight, .reload, .renewal: false
    }
  }
}

/// Plays programs on a real system.
///
/// Safe because all of it is reached only from the one thread that the explorer uses.
final class OrderSystem: @unchecked Sendable {
  private struct Reason: ReloadReason {
    let acts: [OrderAct]
    var policy: SharingPolicy { .join }
  }

  let world: World
  private let lines: [SerialTaskExecutor]
  private let keyed: KeyedSerialTaskExecutor<Int>
  private let few: KeyedSerialTaskExecutor<Int>
  private let store: CoalescingTaskExecutor<Int>
  /// How many acts were begun, but for those of renewals, and how many renewals there were.
  private(set) var played = 0
  private(set) var renewals = 0
  private let flights = TaskCoalescer<Int, Int>(name: "flights")
  private var screen: Reloader<Reason, Int>!
  private var session: RenewingValue<Int>!

  init(_ world: World, renewal: [OrderAct]) {
    self.world = world
    let clock = FlightClock(world, isHesitant: false)
    lines = ["A", "B", "C"].map { SerialTaskExecutor(name: $0, clock: clock) }
    keyed = KeyedSerialTaskExecutor(name: "keys", clock: clock)
    few = KeyedSerialTaskExecutor(name: "few", maximumConcurrentJobs: 1 + world.random.below(2), clock: clock)
    store = CoalescingTaskExecutor(name: "store", clock: clock)
    screen = Reloader(name: "screen") { [unowned self] reason in
      await play(reason.acts)
      return 1
    } apply: { _ in
    }
    session = RenewingValue(name: "session") { [unowned self] _ in
      await play(renewal)
      renewals += 1
      played -= renewal.reduce(0) { $0 + $1.count }
      return Renewed(1, validFor: .zero)
    }
  }

  func play(_ acts: [OrderAct]) async {
    for act in acts {
      await world.step()
      played += 1
      do {
        try await play(act)
      } catch JobRejection.deadlock(let deadlock) {
        world.note("a call", "is rejected", deadlock.path.joined(separator: " → "))
        world.meet("a deadlock")
      } catch {
        world.note("a call", "ends", "\(error)")
      }
    }
    await world.step()
  }

  private func play(_ act: OrderAct) async throws {
    switch act {
    case .hold(let target, let inner): try await hold(target, inner, nil)
    case .limited(let target, let inner): try await hold(target, inner, .milliseconds(5))
    case .await(let target, let inner): try await submit(target, inner)
    case .drain(let drained): try await drain(drained)
    case .children(let children):
      await withTaskGroup(of: Void.self) { group in
        for child in children { group.addTask { await self.play([child]) } }
      }
    case .unstructured(let inner): world.spawnInside("a task") { await self.play(inner) }
    }
  }

  private func hold(_ target: OrderTarget, _ inner: [OrderAct], _ limit: Duration?) async throws {
    switch target {
    case .line(let line): try await lines[line].enqueue(waitingAtMost: limit) { await play(inner) }
    case .keys(let keys) where keys.count == 1:
      try await keyed.enqueue(for: keys[0], waitingAtMost: limit) { await play(inner) }
    case .keys(let keys): try await keyed.enqueue(touching: keys, waitingAtMost: limit) { await play(inner) }
    case .fewKeys(let key): try await few.enqueue(for: key, waitingAtMost: limit) { await play(inner) }
    case .write(nil): try await store.write(waitingAtMost: limit) { await play(inner) }
    case .write(let keys?): try await store.write(touching: keys, waitingAtMost: limit) { await play(inner) }
    case .read(let key, isText: true):
      _ = try await world.calmly {
        try await store.read(key, waitingAtMost: limit) {
          await self.play(inner)
          return ""
        }
      }
    case .read(let key, isText: false):
      _ = try await world.calmly {
        try await store.read(key, waitingAtMost: limit) {
          await self.play(inner)
          return 1
        }
      }
    case .flight(let key):
      _ = try await world.calmly {
        try await flights.value(for: key) {
          await self.play(inner)
          return 1
        }
      }
    case .reload: _ = try await world.calmly { try await screen.reload(Reason(acts: inner)) }
    case .renewal: _ = try await world.calmly { try await session.value() }
    }
  }

  private func submit(_ target: OrderTarget, _ inner: [OrderAct]) async throws {
    let body: @Sendable () async throws -> Void = { await self.play(inner) }
    switch target {
    case .line(let line): try await lines[line].submit(body).value
    case .keys(let keys) where keys.count == 1: try await keyed.submit(for: keys[0], body).value
    case .keys(let keys): try await keyed.submit(touching: keys, body).value
    case .fewKeys(let key): try await few.submit(for: key, body).value
    case .write(nil): try await store.submitWrite(body).value
    case .write(let keys?): try await store.submitWrite(touching: keys, body).value
    case .read, .flight, .reload, .renewal: preconditionFailure("it is not submitted")
    }
  }

  private func drain(_ drain: OrderDrain) async throws {
    switch drain {
    case .line(let line): try await lines[line].drain()
    case .keys: try await keyed.drain()
    case .key(let key): try await keyed.drain(for: key)
    case .store: try await store.drain()
    case .flights: try await flights.drain()
    }
  }
}
