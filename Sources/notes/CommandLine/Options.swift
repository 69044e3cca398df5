/// The arguments that take a value, in the order of the help.
enum Flag: String, CaseIterable {
  case script, store, html
}

extension Flag {
  var name: String { "--\(rawValue)" }

  /// What its value is.
  var value: String {
    switch self {
    case .script, .html: "FILE"
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

  var script: String? { values[.script] }
  var store: String? { values[.store] }
  var html: String? { values[.html] }
}

extension Options {
  /// Understands the arguments, or says which one it does not.
  static func parse(_ arguments: [String]) throws(Refusal) -> Command {
    var options = Options()
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--help" || argument == "-h" { return .help }
      let (flag, attached) = try split(argument)
      guard options.values[flag] == nil else { throw usage("\(flag.name) is given twice") }
      options.values[flag] = try value(of: flag, attached, &rest)
    }
    return .play(options)
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
