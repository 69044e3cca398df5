import SerialTasks

/// A job that would wait for itself, by way of another executor.
struct ReentrancyAct: Act {
  func play(on stage: Stage, show: (Panel) -> Void) async throws(Refusal) {
    let found = await askInACycle()
    let finding =
      switch found {
      case .rejected(let deadlock):
        "Rejected before it could wait; the error names the cycle: \(deadlock.path.joined(separator: " → "))."
      case .ended: "The call was not rejected, and should have been."
      case .failed(let reason): "The call failed in another way than it should have: \(reason)"
      }
    let details =
      if case .rejected(let deadlock) = found {
        [
          "The call threw an error, and the executors went on with the next job.",
          "The error says: \(deadlock)",
        ]
      } else { [String]() }
    show(
      Panel(
        title: "A call that would wait for itself",
        introduction: """
          A job of “notes” waits for one of “audit”, and that one asks “notes” how many notes there are. It would wait \
          for a turn that ends only after it.
          """,
        timeline: nil, mood: details.isEmpty ? .wrong : .right, finding: finding, details: details))
  }

  private enum Found {
    case rejected(DeadlockError)
    case ended
    case failed(String)
  }

  private func askInACycle() async -> Found {
    let notes = SerialTaskExecutor(name: "notes")
    let audit = SerialTaskExecutor(name: "audit")
    do {
      try await notes.enqueue(name: "update 1") {
        try await audit.enqueue(name: "log the update") {
          try await notes.enqueue(name: "count the notes") {}
        }
      }
      return .ended
    } catch JobRejection.deadlock(let deadlock) {
      do {
        try await audit.enqueue { try await notes.enqueue {} }
        return .rejected(deadlock)
      } catch { return .failed("\(error)") }
    } catch { return .failed("\(error)") }
  }
}
