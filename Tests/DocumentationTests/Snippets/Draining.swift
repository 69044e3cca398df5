import SerialTasks

struct Draining: Sendable {
  let parts: [any Drainable]

  /// What a service does when it is asked to stop.
  func stop() async {
    for part in parts { part.close() }
    for part in parts { await part.shutDown(within: .seconds(10)) }
  }
}
