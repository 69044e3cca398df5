import SerialTasks

/// A job that would wait for itself, by way of another executor.
struct ReentrancyAct: Act {
  func play(on stage: Stage, show: (Panel) -> Void) async throws(Refusal) {
    let end = await askInACycle()
    let introduction = """
      A job of “notes” waits for one of “audit”, and that one asks “notes” how many notes there are. It would wait for a \
      turn that ends only after it.
      """
    guard case .rejected(let deadlock) = end else {
      show(
        Panel(title: Self.title, introduction: introduction, mood: .wrong, finding: end.problem ?? "", details: []))
      return
    }
    show(
      Panel(
        title: Self.title, introduction: introduction,
        ring: Ring(deadlock.path, holders: ["update 1", "log the update"]), mood: .right,
        finding: "Rejected before it could wait; the error names the cycle: \(deadlock.path.path).",
        details: [
          "The call threw an error, and the executors went on with the next job.", "The error says: \(deadlock)",
        ]))
  }

  private static let title = "A call that would wait for itself"

  private func askInACycle() async -> CycleEnd {
    let notes = SerialTaskExecutor(name: "notes")
    let audit = SerialTaskExecutor(name: "audit")
    let end = await CycleEnd {
      try await notes.enqueue(name: "update 1") {
        try await audit.enqueue(name: "log the update") {
          try await notes.enqueue(name: "count the notes") {}
        }
      }
    }
    // Both are free again.
    do { try await audit.enqueue { try await notes.enqueue {} } } catch { return .failed("\(error)") }
    return end
  }
}
