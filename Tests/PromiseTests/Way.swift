import SerialTasks
import SerialTasksTesting
import Testing

/// One public way to hand in, join or await work: a row of the table.
struct Way: Sendable {
  /// What sets ways apart, and so decides which promises apply.
  struct Traits: OptionSet, Sendable {
    let rawValue: Int

    /// Returns a `SubmittedJob`.
    static let submits = Traits(rawValue: 1)
    /// Has `rejectedAs:`.
    static let isTyped = Traits(rawValue: 2)
    /// Has `waitingAtMost:`.
    static let isLimited = Traits(rawValue: 4)
    /// Has a place among other jobs.
    static let isInLine = Traits(rawValue: 8)
    /// Equal work of several callers runs once.
    static let isShared = Traits(rawValue: 16)
    /// Inherits nothing from who submits it.
    static let isDetached = Traits(rawValue: 32)
    /// Is for synchronous code: the call cannot be left.
    static let cannotLeave = Traits(rawValue: 64)
    /// Replaces what waits under the same name.
    static let isLatest = Traits(rawValue: 128)
    /// The work was given to the initializer, and has its isolation and no name of its own.
    static let isOfTheType = Traits(rawValue: 256)
    /// Runs to its end when all callers have left.
    static let runsToItsEnd = Traits(rawValue: 512)
    /// Waits for access to its key as well as for its turn.
    static let asksForAccess = Traits(rawValue: 1_024)
    /// Another call starts the work, and this one waits for it.
    static let isStartedAhead = Traits(rawValue: 2_048)
    /// The executor can limit how many jobs, or reads, run at a time.
    static let hasSlots = Traits(rawValue: 4_096)
    /// Conflicts with all other jobs but those of no key.
    static let isWhole = Traits(rawValue: 8_192)
    /// Waits for what runs, and runs after it, in place of joining it.
    static let follows = Traits(rawValue: 16_384)
    /// Cancels what runs, in place of joining it.
    static let replaces = Traits(rawValue: 32_768)
  }

  let type: String
  let label: String
  let traits: Traits
  let make: @Sendable (Settings) -> Stage

  func has(_ traits: Traits) -> Bool { self.traits.isSuperset(of: traits) }

  /// The keys that its events name.
  var keys: [String] {
    if type == "SerialTaskExecutor" || has(.isWhole) || has(.isOfTheType) { return [] }
    guard label.contains("(touching:") else { return ["k"] }
    return has(.asksForAccess) ? ["k", "l"] : Array(Way.manyKeys.prefix(10))
  }
}

extension Way: CustomTestStringConvertible {
  var testDescription: String { "\(type).\(label)" }
}

extension Way {
  static let all = line + keys + repository + fenced + shared

  typealias Call<Subject> = nonisolated(nonsending) @Sendable (Subject, Work) async throws -> Int

  /// A way that waits in its caller's task.
  static func call<Subject: Desk>(
    _ call: String, _ make: @escaping @Sendable (Settings) -> Subject, _ traits: Traits = [],
    _ body: @escaping Call<Subject>
  ) -> Way {
    Way(type: Subject.type, label: call, traits: traits.union(Subject.traits)) { settings in
      let desk = make(settings)
      return Stage(
        settings: settings, desk: desk, isTyped: traits.contains(.isTyped), call: { try await body(desk, $0) },
        submit: nil)
    }
  }

  /// A way that returns a handle.
  static func submission<Subject: Desk>(
    _ call: String, _ make: @escaping @Sendable (Settings) -> Subject, _ traits: Traits = [],
    _ body: @escaping @Sendable (Subject, Work) -> SubmittedJob<Int>
  ) -> Way {
    Way(type: Subject.type, label: call, traits: traits.union(Subject.traits).union(.submits)) { settings in
      let desk = make(settings)
      return Stage(
        settings: settings, desk: desk, isTyped: false,
        call: { try await body(desk, $0).value }, submit: { Handle(body(desk, $0)) })
    }
  }
}
