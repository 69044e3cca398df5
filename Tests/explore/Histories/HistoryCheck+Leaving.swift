import SerialTasks

// MARK: - Checks: leaving, and being rejected

extension HistoryCheck {
  func checkLeaving() {
    for index in calls.indices {
      checkRejection(index)
      guard calls[index].leads, calls[index].isShared, let operation = calls[index].operation else { continue }
      checkWanted(index, operation, callers[calls[index].place!]!)
    }
  }

  /// An operation that no caller wants does not begin, or is cancelled; and no other is.
  private func checkWanted(_ index: Int, _ operation: History.Operation, _ riders: [Int]) {
    let detail = name(index)
    // A thread may rest between the decision that it begins and its first instruction.
    let began = history.isExact ? calls[index].begun ?? operation.began : operation.began
    let hasNoCallers = riders.allSatisfy { calls[$0].asked > began || calls[$0].hasLeft(before: began) }
    expect(!hasNoCallers || !history.isExact, "a read that all callers have left does not begin", detail)
    let ended = operation.ended ?? .max
    if riders.allSatisfy({ calls[$0].asked > ended || calls[$0].hasLeft(before: ended) }) {
      expect(operation.isCancelled, "when the last caller leaves, the operation is cancelled", detail)
    }
    let isCleared = history.mayHaveCleared(since: calls[index].asked, before: ended)
    if operation.isCancelled, !isCleared {
      let isWanted = riders.contains { calls[$0].boarded ?? .max < began && calls[$0].cancelled ?? .max > ended }
      expect(!isWanted, "an operation is cancelled only when no caller wants it", detail)
    }
    for rider in riders {
      let since = max(calls[rider].cancelled ?? .max, calls[rider].boarded ?? .max)
      let hasStayed = operation.quiet.contains { $0 > since } && calls[rider].rejection == nil
      expect(!hasStayed, "who is cancelled leaves at once", name(rider))
    }
  }

  /// No caller is rejected for what did not happen.
  private func checkRejection(_ index: Int) {
    let call = calls[index]
    guard let why = call.rejection, let answered = call.answered else { return }
    let isRightly =
      switch why {
      case .cancelled: call.cancelled.map { $0 < answered } ?? false
      case .withdrawn: history.mayHaveCleared(since: call.asked, before: answered)
      case .closed: history.closing.map { $0 < answered } ?? false
      case .full(let capacity): capacity == history.capacity && (!history.isExact || isFull(at: call))
      case .deadlock: call.isInside
      default: false
      }
    expect(isRightly, "no caller is rejected for what did not happen", "\(name(index)): \(why)")
  }

  /// Whether so many may have been waiting when the call was rejected.
  private func isFull(at call: Call) -> Bool {
    let waiting = calls.count { other in
      other.leads && other.asked < call.asked && other.begun ?? .max > call.asked
        && !callers[other.place!]!.allSatisfy { calls[$0].hasLeft(before: call.asked) }
    }
    return waiting >= history.capacity ?? .max
  }
}

// MARK: - Checks: lifecycle

extension HistoryCheck {
  func checkLifecycle() {
    for (index, call) in calls.enumerated() {
      if let closed = history.closed, call.asked > closed, call.isWrite || !call.isInside {
        let isRejected = call.rejection == .closed || call.rejection == .cancelled
        expect(isRejected, "a closed executor rejects later calls", name(index))
      }
      guard let boarded = call.boarded else { continue }
      for drain in history.drains where boarded < drain.asked { checkDrained(index, by: drain.returned) }
      guard history.isExact, let begun = call.begun else { continue }
      let isCleared = history.withdrawals.contains { $0.began > boarded && $0.began < begun }
      expect(!isCleared, "what was withdrawn does not begin", name(index))
    }
    guard let closed = history.closed else { return }
    let over = history.drains.first { $0.asked > closed }?.returned ?? .max
    for (index, call) in calls.enumerated() {
      expect(call.operation?.ended ?? 0 < over, "after log-out nothing lands", name(index))
    }
  }

  private func checkDrained(_ index: Int, by returned: Moment) {
    let call = calls[index]
    if let operation = call.operation {
      expect(operation.ended ?? .max < returned, "drained means that nothing waits or runs", name(index))
    } else if call.rejection == .withdrawn {
      expect(call.rejected ?? .max < returned, "drain() waits until all rejections have been reported", name(index))
    }
  }
}
