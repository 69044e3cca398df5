/// The arguments that take a value, in the order of the help.
enum Flag: String, CaseIterable {
  case act, example, script, through, store, html
}

extension Flag {
  var name: String { "--\(rawValue)" }

  /// What its value is.
  var value: String {
    switch self {
    case .act, .example: "NAME"
    case .script, .html: "FILE"
    case .through: "WAY"
    case .store: "DIR"
    }
  }
}

/// What the program was asked to do.
enum Command: Hashable {
  case help
  case play(Options)
}

/// What to play, and where to.
struct Options: Hashable {
  private var values: [Flag: String] = [:]
  /// The acts that were asked for, in the order asked.
  private(set) var acts: [ActName] = []
  /// The script that comes with the program and was asked for by name.
  private(set) var example: Example?
  /// The way a script is played.
  private(set) var way = Way.coalescing

  var script: String? { values[.script] }
  var store: String? { values[.store] }
  var html: String? { values[.html] }

  /// The acts that were asked for, or all.
  var actsToPlay: [ActName] { acts.isEmpty ? ActName.allCases : acts }
}

extension Options {
  /// Understands the arguments, or says which one it does not.
  static func parse(_ arguments: [String]) throws(Refusal) -> Command {
    var options = Options()
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--help" || argument == "-h" { return .help }
      let (flag, attached) = try split(argument)
      if flag != .act, options.values[flag] != nil { throw usage("\(flag.name) is given twice") }
      try options.take(flag, try value(of: flag, attached, &rest))
    }
    try options.checkTogether()
    return .play(options)
  }

  private mutating func take(_ flag: Flag, _ value: String) throws(Refusal) {
    switch flag {
    case .act: try takeAct(value)
    case .through: try takeWay(value)
    case .example: try takeExample(value)
    case .script, .store, .html: break
    }
    values[flag] = value
  }

  private mutating func takeWay(_ value: String) throws(Refusal) {
    guard let way = Way(rawValue: value) else {
      throw Self.usage("unknown way “\(Printable.text(value))”; there are \(Way.list)")
    }
    self.way = way
  }

  private mutating func takeExample(_ value: String) throws(Refusal) {
    guard let example = Example(rawValue: value) else {
      throw Self.usage("unknown example “\(Printable.text(value))”; there are \(Example.list)")
    }
    self.example = example
  }

  private mutating func takeAct(_ value: String) throws(Refusal) {
    guard let act = ActName(rawValue: value) else {
      throw Self.usage("unknown act “\(Printable.text(value))”; there are \(ActName.list)")
    }
    if acts.contains(act) { throw Self.usage("--act \(value) is given twice") }
    acts.append(act)
  }

  /// Refuses what would be asked for in vain.
  private func checkTogether() throws(Refusal) {
    if script != nil, example != nil { throw Self.usage("--script and --example cannot be given together") }
    let source: Flag? = script != nil ? .script : example != nil ? .example : nil
    if values[.through] != nil, source == nil {
      throw Self.usage("--through says how a script is played, so it needs --example or --script")
    }
    guard !acts.isEmpty else { return }
    if let source { throw Self.usage("\(source.name) is played instead of acts, so it cannot be given with --act") }
    if store != nil, !acts.contains(where: \.keepsNotes) {
      throw Self.usage("--store is for acts that keep notes (\(ActName.namesOfKeepers)), and none was asked for")
    }
  }

  /// `--flag` or `--flag=value`.
  private static func split(_ argument: String) throws(Refusal) -> (Flag, String?) {
    guard argument.hasPrefix("-") else { throw usage("unexpected argument “\(Printable.text(argument))”") }
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let flag = Flag.allCases.first(where: { $0.name == parts[0] }) else {
      throw usage("unknown flag “\(Printable.text(String(parts[0])))”")
    }
    return (flag, parts.count == 2 ? String(parts[1]) : nil)
  }

  private static func value(
    of flag: Flag, _ attached: String?, _ rest: inout ArraySlice<String>
  ) throws(Refusal) -> String {
    if let attached {
      if attached.isEmpty { throw usage("\(flag.name) needs a \(flag.value)") }
      return attached
    }
    // A value that looks like a flag is a forgotten value; one that is meant can be attached with “=”.
    guard let next = rest.first, !next.isEmpty, !next.hasPrefix("--") else {
      throw usage("\(flag.name) needs a \(flag.value)")
    }
    rest.removeFirst()
    return next
  }

  private static func usage(_ message: String) -> Refusal { Refusal(.badUsage, "\(message); see notes --help") }
}
