import SerialTasks

struct Draining: Sendable {
  let parts: [any Drainable]

  /// What a service does when it is asked to stop.
  func stop() async {
    for part in parts { part.close() }
    await withDiscardingTaskGroup { group in
      for part in parts {
        group.addTask { await part.shutDown(within: .seconds(10)) }
      }
    }
  }
}
