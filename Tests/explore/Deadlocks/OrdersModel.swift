import SerialTasks

/// Random programs over all that can be held, of which each statement is a task: what ``OrderOracle`` asks.
///
/// Whatever is rejected, all comes to an end.
struct OrdersModel: Model {
  static let mustMeet = ["a rejection"]
  static let name = "orders"
  static let about = "statements that hold several things, in any order: all end, some as deadlocks"

  /// Draws callers that each do a part of a statement, if there are to be such.
  ///
  /// Safe because it is reached only from the one thread that the explorer uses.
  nonisolated(unsafe) static var crowd: SplitMix?

  let world: World
  private let statements: DeadlockAct.Acts
  private let renewal: DeadlockAct.Acts
  private let system: DeadlockSystem

  init(_ world: World) {
    self.world = world
    var draw = OrderDraw(world.random)
    statements = draw.statements().filter { _ in world.keeps() }
    renewal = draw.renewal()
    world.random = SplitMix(seed: world.random.next())
    system = DeadlockSystem(world, .init(slots: [nil, 1 + world.random.below(2)], renewal: renewal, linger: true))
  }

  func start() {
    if var crowd = OrdersModel.crowd { return start(&crowd) }
    for (index, statement) in statements.enumerated() {
      world.note("statement \(index)", "is", "\(statement)")
      system.start([statement], as: "statement \(index)")
    }
  }

  /// Starts callers that each do a part of a statement, at least one for each, and cancels half of them.
  private func start(_ crowd: inout SplitMix) {
    for index in 0..<statements.count + crowd.below(4) {
      let number = index < statements.count ? index : crowd.below(statements.count)
      let (name, part) = ("caller \(index)", statements[number].part(&crowd))
      world.note(name, "does", "\(part)")
      system.start([part], as: name, cancelledAfter: crowd.once(in: 2) ? crowd.below(20) : nil)
    }
  }

  func check() {
    system.check()
    if system.played == statements.reduce(0, { $0 + $1.count }) { world.meet("all has run") }
    if (statements + renewal).contains(where: \.drains) { world.meet("a drain") }
  }
}
