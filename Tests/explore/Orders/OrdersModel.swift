import SerialTasks

/// Random programs over all that can be held, of which each statement is a task: what ``OrderOracle`` asks.
///
/// Whatever is rejected, all comes to an end.
struct OrdersModel: Model {
  static let mustMeet = ["a deadlock"]
  static let name = "orders"
  static let about = "statements that hold several things, in any order: all end, some as deadlocks"

  /// Draws callers that each do a part of a statement, if there are to be such.
  ///
  /// Safe because it is reached only from the one thread that the explorer uses.
  nonisolated(unsafe) static var crowd: SplitMix?

  let world: World
  let statements: [OrderAct]
  let renewal: [OrderAct]
  private let system: OrderSystem

  init(_ world: World) {
    self.world = world
    var draw = OrderDraw(world.random)
    statements = draw.statements().filter { _ in world.keeps() }
    renewal = draw.renewal()
    world.random = SplitMix(seed: world.random.next())
    system = OrderSystem(world, renewal: renewal)
  }

  func start() {
    if var crowd = OrdersModel.crowd { return start(&crowd) }
    for (index, statement) in statements.enumerated() {
      world.note("statement \(index)", "is", "\(statement)")
      world.spawn("statement \(index)") { [system] in await system.play([statement]) }
    }
  }

  /// Starts callers that each do a part of a statement, at least one for each, and cancels half of them.
  private func start(_ crowd: inout SplitMix) {
    for index in 0..<statements.count + crowd.below(4) {
      let number = index < statements.count ? index : crowd.below(statements.count)
      let (name, part) = ("caller \(index)", statements[number].part(&crowd))
      world.note(name, "does", "\(part)")
      let task = world.spawn(name) { [system] in await system.play([part]) }
      guard crowd.once(in: 2) else { continue }
      let steps = crowd.below(20)
      world.spawn("canceller of \(name)") { [world] in
        await world.steps(steps)
        world.cancel(name, task)
      }
    }
  }

  func check() {
    let all = statements.reduce(0) { $0 + $1.count }
    if system.played == all { world.meet("all has run") }
    if (statements + renewal).contains(where: \.drains) { world.meet("a drain") }
  }
}
