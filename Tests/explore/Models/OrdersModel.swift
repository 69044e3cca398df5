import SerialTasks

/// Random programs over all that can be held, of which each statement is a task: what ``OrderOracle`` asks.
///
/// Whatever is rejected, all comes to an end.
struct OrdersModel: Model {
  static let mustMeet = ["a deadlock"]
  static let name = "orders"
  static let about = "statements that hold several things, in any order: all end, some as deadlocks"

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
    for (index, statement) in statements.enumerated() {
      world.note("statement \(index)", "is", "\(statement)")
      world.spawn("statement \(index)") { [system] in await system.play([statement]) }
    }
  }

  func check() {
    let all = statements.reduce(0) { $0 + $1.count }
    if system.played == all { world.meet("all has run") }
    if (statements + renewal).contains(where: \.drains) { world.meet("a drain") }
  }
}
