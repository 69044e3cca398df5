/// Where a store is not what it should be.
enum StoreDifference: Hashable {
  /// It is there and should not be.
  case extra(Note)
  /// It should be there and is not.
  case missing(Note)
  case different(found: Note, expected: Note)

  var id: Int {
    switch self {
    case .extra(let note), .missing(let note), .different(let note, _): note.id
    }
  }
}

/// A call that did not answer what it must have answered.
struct WrongAnswer: Hashable {
  let place: Int
  let got: Outcome
  let expected: Outcome
}

/// A run held against what its calls, in their order, must have produced.
struct Verdict {
  /// By note.
  let differences: [StoreDifference]
  /// By place.
  let wrongAnswers: [WrongAnswer]
  /// What the way promised and the run did not keep, by place.
  let breaches: [Breach]

  var isRight: Bool { differences.isEmpty && wrongAnswers.isEmpty && breaches.isEmpty }

  /// - Parameters:
  ///   - initial: What the store held before.
  ///   - run: What was played.
  ///   - found: What the store held afterwards.
  init(initial: [Note], run: Run, found: [Note]) {
    var expected = ExpectedStore(initial)
    var wrong: [WrongAnswer] = []
    for call in run.calls {
      let answer = expected.perform(call.call)
      if answer != call.outcome { wrong.append(WrongAnswer(place: call.place, got: call.outcome, expected: answer)) }
    }
    wrongAnswers = wrong
    breaches = Breach.all(in: run)
    differences = Self.differences(expected: expected, found: ExpectedStore(found))
  }

  private static func differences(expected: ExpectedStore, found: ExpectedStore) -> [StoreDifference] {
    Set((expected.notes + found.notes).map(\.id)).sorted().compactMap { id in
      switch (found[id], expected[id]) {
      case (let found?, let expected?): found == expected ? nil : .different(found: found, expected: expected)
      case (let found?, nil): .extra(found)
      case (nil, let expected?): .missing(expected)
      case (nil, nil): nil
      }
    }
  }
}
