import CoalescingTasks

enum Draining {
  static func stop(_ token: RenewingValue<Int>, _ notes: SerialTaskExecutor, _ feed: TaskCoalescer<Int, Int>) async {
    let parts: [any Drainable] = [token, notes, feed]
    await parts.shutDown(within: .seconds(10))
  }

  static func logOut(_ token: RenewingValue<Int>, _ notes: SerialTaskExecutor, _ feed: TaskCoalescer<Int, Int>) async {
    let parts: [any Drainable] = [token, notes, feed]
    await parts.shutDown(within: .zero)
  }
}
