import SerialTasks

/// Calls that were played, and what happened to each.
struct Play: Sendable {
  /// By number.
  let entries: [Log.Entry]
  /// What the executors reported.
  let reported: [TaskEvent]
  /// The calls whose answers were shown, in order.
  let shown: [Int]
  /// Whether a call never got its answer.
  let isStuck: Bool
  /// The stored values before and after, if there is a store.
  var before, after: Values?

  /// Plays calls, in the order of their times, on a new store with these values.
  static func of(_ calls: [Call], on values: Values, _ way: (Player) -> Way) async -> Play {
    let player = Player()
    let store = Store(values, player)
    var play = await player.play(calls, way(player), on: store)
    (play.before, play.after) = (values, await store.values)
    return play
  }
}

extension Play {
  /// When the last work ended.
  var end: Int { entries.compactMap(\.ended).max() ?? 0 }

  /// The total time of all work, one after another.
  var length: Int { entries.map(\.call.takes).reduce(0, +) }

  /// What the calls would read one after another, and what would be stored afterwards.
  var inOrder: (found: [Int: Values], after: Values)? {
    guard var values = before else { return nil }
    var found: [Int: Values] = [:]
    for entry in entries {
      found[entry.call.number] = values.found(by: entry.call)
      values.apply(entry.call, seen: values)
    }
    return (found, values)
  }
}

// MARK: - Drawing

extension Play {
  struct Fault: Error, CustomStringConvertible { let description: String }

  /// What executors reported; or else the calls, as if an executor of this name had, and wrong answers were errors.
  func events(as name: String) -> [TaskEvent] {
    if !reported.isEmpty { return reported }
    return entries.flatMap { entry in
      let (number, job) = (UInt64(entry.call.number), entry.call.name)
      let times = [entry.began, entry.ended].compactMap(\.self).map { Player.start.advanced(by: .milliseconds($0)) }
      let end = fault(entry).map { TaskEvent.Kind.failed(Fault(description: $0)) } ?? .finished
      return zip([.began, end], times).map {
        TaskEvent(kind: $0, executor: name, job: job, place: number, instant: $1)
      }
    }
  }

  private func fault(_ entry: Log.Entry) -> String? {
    if let newer = stale[entry.call.number] { return "shown over \(newer)" }
    guard let found = try? entry.answer?.get().found, let must = inOrder?.found[entry.call.number] else { return nil }
    return found == must ? nil : "found \(found.text), not \(must.text)"
  }

  /// The answers that were shown after a newer one, and the newest at that time.
  var stale: [Int: Int] {
    var stale: [Int: Int] = [:]
    for (index, number) in shown.enumerated() {
      if let newest = shown[..<index].max(), newest > number { stale[number] = newest }
    }
    return stale
  }
}

// MARK: - Judging

extension Play {
  /// The numbers of the calls with a wrong answer.
  var wrong: [Int] {
    entries.filter { entry in
      guard let found = try? entry.answer?.get().found else { return false }
      return found != inOrder?.found[entry.call.number]
    }.map(\.call.number)
  }

  /// Says in short what went wrong without the package, and what a wrong value in the store means.
  func account(stored: String) -> String {
    let answers = wrong.isEmpty ? [] : ["\(wrong.count) answers miss a write that came before them"]
    return "A plain actor: \((answers + (after == inOrder?.after ? [] : [stored])).joined(separator: ", and "))."
  }

  /// A complaint unless exactly these calls did work of their own.
  func mustWork(_ numbers: [Int]) -> [String] {
    let worked = entries.filter { $0.began != nil }.map(\.call.number)
    return worked == numbers ? [] : ["the calls that did work are \(worked), and not \(numbers)"]
  }

  /// A complaint unless something went wrong: an act must show the failure that it describes.
  var mustFail: [String] { mistakes().isEmpty ? ["the plain actor made no mistake, and should have"] : [] }

  /// Lists missing and wrong answers, a wrong final store, and a call that should have been rejected.
  func mistakes(rejected: Int? = nil) -> [String] {
    var mistakes = isStuck ? ["the calls did not come to an end"] : []
    for entry in entries {
      switch entry.answer {
      case .failure(is JobRejection) where entry.call.number == rejected: continue
      case .success where entry.call.number == rejected: mistakes.append("call \(entry.call.name) was not rejected")
      case .success(let answer):
        guard wrong.contains(entry.call.number) else { continue }
        mistakes.append("call \(entry.call.name) found \(answer.found?.text ?? "")")
      case .failure(let error): mistakes.append("call \(entry.call.name) failed: \(error)")
      case nil: mistakes.append("call \(entry.call.name) has no answer")
      }
    }
    if let after, after != inOrder?.after { mistakes.append("in the end there is \(after.text)") }
    return mistakes
  }

  /// Lists the calls that did not begin exactly when the last earlier call that was in their way ended.
  func untimely(_ isInTheWay: (Call, Call) -> Bool) -> [String] {
    entries.compactMap { entry in
      guard let began = entry.began else { return nil }
      let ends = entries.prefix { $0.call.number < entry.call.number }
        .filter { isInTheWay($0.call, entry.call) }.compactMap(\.ended)
      let must = max(entry.asked, ends.max() ?? 0)
      return began == must ? nil : "call \(entry.call.name) began at \(began) ms, and not at \(must) ms"
    }
  }
}
