/// A call of a script: what it does, when, and how long its work takes.
struct Call: Sendable {
  /// What a call does to the values.
  enum Action: Sendable {
    /// Reads these keys, or every key if there are none.
    case read([String])
    /// Changes these keys, based on their values when the work began.
    case write([String: Change])
  }

  enum Change: Sendable {
    /// A value; `nil` deletes it.
    case set(Int?)
    case add(Int)
  }

  /// From 1, in the order of the script.
  let number: Int
  let label: String
  /// When the call is made, and how long its work takes, in milliseconds.
  let asked, takes: Int
  let action: Action

  init(_ number: Int, _ label: String, at asked: Int = 0, takes: Int, _ action: Action) {
    (self.number, self.label, self.asked, self.takes, self.action) = (number, label, asked, takes, action)
  }
}

extension Call {
  /// Its name in events.
  var name: String { "\(number) \(label)" }

  var isRead: Bool { if case .read = action { true } else { false } }

  /// The keys that it touches; empty for all of them.
  var keys: [String] {
    switch action {
    case .read(let keys): keys
    case .write(let changes): changes.keys.sorted()
    }
  }
}

/// The answer to a call, and the call whose work produced it: answers may be shared.
struct Answer: Sendable {
  /// The number of the call that did the work.
  let by: Int
  /// What it read; `nil` if it wrote.
  var found: Values?
}

/// The stored numbers by key, and how they are displayed.
struct Values: Sendable, Equatable {
  private(set) var contents: [String: Int]
  let show: @Sendable (String, Int) -> String

  static func == (one: Values, other: Values) -> Bool { one.contents == other.contents }

  init(_ contents: [String: Int], show: @escaping @Sendable (String, Int) -> String) {
    (self.contents, self.show) = (contents, show)
  }

  var text: String {
    contents.isEmpty ? "nothing" : contents.sorted { $0.key < $1.key }.map(show).joined(separator: " ")
  }

  /// What a call reads here; `nil` if it reads nothing.
  func found(by call: Call) -> Values? {
    guard case .read(let keys) = call.action else { return nil }
    return Values(keys.isEmpty ? contents : contents.filter { keys.contains($0.key) }, show: show)
  }

  /// Applies the changes of a call that has seen these values.
  mutating func apply(_ call: Call, seen: Values) {
    guard case .write(let changes) = call.action else { return }
    for (key, change) in changes {
      switch change {
      case .set(let value): contents[key] = value
      case .add(let number): if let old = seen.contents[key] { contents[key] = old + number }
      }
    }
  }
}

/// A plain actor whose methods await in the middle, like methods that call a server.
actor Store {
  private(set) var values: Values
  private let player: Player

  init(_ values: Values, _ player: Player) { (self.values, self.player) = (values, player) }

  func perform(_ call: Call) async throws -> Answer {
    let seen = values
    try await player.work(call.number, for: call.takes)  // meanwhile, other calls run …
    values.apply(call, seen: seen)  // … and overwrites what they wrote
    return Answer(by: call.number, found: seen.found(by: call))
  }
}
