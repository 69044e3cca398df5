import SerialTasks

/// A table of lines as a list of who uses which key: the model that `KeyedLineTable` is held against.
struct KeyedTableModel {
  enum Event: Hashable {
    /// A user comes to a key; users are numbered in the order in which they come.
    case use(Int)
    case leave(Int)
    /// A task uses the line of every busy key for a moment.
    case holdAll
    case drain, leaveDrain
  }

  /// The key of each user, until it leaves.
  var users: [Int?] = []
  var mostBusy = 0
  var isDraining = false
  var hasDrained = false

  var busy: Set<Int> { Set(users.compactMap { $0 }) }

  var possibleEvents: [Event] {
    var events: [Event] = users.indices.filter { users[$0] != nil }.map { .leave($0) }
    if users.count < 4 { events += [.use(0), .use(1), .holdAll] }
    if !hasDrained { events.append(isDraining ? .leaveDrain : .drain) }
    return events
  }

  mutating func apply(_ event: Event) {
    switch event {
    case .use(let key): users.append(key)
    case .holdAll: users += busy.sorted().map { $0 }
    case .leave(let user): users[user] = nil
    case .drain: isDraining = !busy.isEmpty
    case .leaveDrain: isDraining = false
    }
    mostBusy = max(mostBusy, busy.count)
    if isDraining, busy.isEmpty { (isDraining, hasDrained) = (false, true) }
  }
}

/// Drives the table and the model with the same events, and says where they first disagree.
struct KeyedTableRun: ~Copyable {
  var model = KeyedTableModel()
  private var table = KeyedLineTable<Int>()
  private var lines: [KeyedLine<Int>] = []
  private var made = 0
  private var drainer: Waiter?
  private var drainerWakes = 0
  private(set) var mismatch: String?

  mutating func apply(_ event: KeyedTableModel.Event) {
    switch event {
    case .use(let key): use(key)
    case .leave(let user): leave(user, table.leave(lines[user]))
    case .holdAll:
      // Found again by key, for they come in the order of a dictionary.
      lines += table.holdAll().sorted { $0.key!.key < $1.key!.key }
    case .drain:
      let waiter = Waiter()
      drainer = table.awaitIdle(waiter) ? waiter : nil
    case .leaveDrain: if let drainer, !table.leaveDrain(drainer) { mismatch = "who drains could not leave" }
    }
    table.checkInvariants()
    model.apply(event)
    compare(after: event)
  }

  private mutating func use(_ key: Int) {
    switch table.use(StableKey(key)) {
    case .line(let line): lines.append(line)
    case .needsLine:
      made += 1
      lines.append(KeyedLine(owner: ObjectIdentifier(Self.self), name: "table", capacity: nil, onEvent: nil))
      table.adopt(lines[lines.count - 1], for: StableKey(key))
    }
  }

  private mutating func leave(_ user: Int, _ leaving: KeyedLineTable<Int>.Leaving) {
    switch leaving {
    case .busy: break
    case .idle(let key, let line): check(key.key, line, of: user)
    case .allIdle(let key, let line, let drainers):
      check(key.key, line, of: user)
      drainerWakes += drainers.filter { $0 === drainer && $0.state == .granted }.count
    }
  }

  private mutating func check(_ key: Int, _ line: KeyedLine<Int>, of user: Int) {
    if key != model.users[user] || line !== lines[user] { mismatch = "another key or line than the user's is idle" }
  }

  private mutating func compare(after event: KeyedTableModel.Event) {
    guard mismatch == nil else { return }
    if Set(table.lines.keys.map(\.key)) != model.busy {
      mismatch = "after \(event) these have a line: \(table.lines.keys)"
    }
    for (user, key) in model.users.enumerated() {
      guard let key else { continue }
      let line = lines[user]
      if table.lines[StableKey(key)] !== line || line.key?.key != key {
        mismatch = "after \(event) \(user) uses no line of \(key)"
      }
      if line.users != model.users.count(where: { $0 == key }) { mismatch = "after \(event) users are miscounted" }
    }
    let spare = Set(table.spares.map { ObjectIdentifier($0) })
    if made != model.mostBusy { mismatch = "after \(event) \(made) lines were made" }
    if spare.count != made - model.busy.count { mismatch = "after \(event) \(spare.count) lines are spare" }
    if table.spares.contains(where: { $0.key != nil || $0.users != 0 }) { mismatch = "a spare line is in use" }
    if drainerWakes != (model.hasDrained && drainer != nil ? 1 : 0) { mismatch = "after \(event) the drain is wrong" }
  }
}
