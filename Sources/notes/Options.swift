/// The parsed command line.
struct Options {
  struct Mistake: Error {
    let sentence: String
  }

  private(set) var wantsHelp = false
  /// Whether a picture is for a dark page, if one is wanted.
  private(set) var isDark: Bool?
  /// In the order of the arguments.
  private(set) var acts: [any Act]

  /// Parses the arguments after the program's name; throws the first mistake.
  init(_ arguments: [String], acts all: [any Act]) throws(Mistake) {
    acts = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--help", "-h": wantsHelp = true
      case "--svg":
        guard let page = rest.popFirst(), ["light", "dark"].contains(page) else {
          throw Mistake(sentence: "--svg needs a page: light, dark")
        }
        isDark = page == "dark"
      case "--act":
        guard let name = rest.popFirst() else { throw Mistake(sentence: "--act needs a name: \(Self.names(all))") }
        guard let act = all.first(where: { $0.name == name }) else {
          throw Mistake(sentence: "there is no act “\(name)”, only \(Self.names(all))")
        }
        acts.append(act)
      default: throw Mistake(sentence: "“\(argument)” is not an option")
      }
    }
    if acts.isEmpty { acts = all }
  }

  private static func names(_ acts: [any Act]) -> String { acts.map(\.name).joined(separator: ", ") }

  /// What `--help` prints.
  static func help(_ acts: [any Act]) -> String {
    """
    Shows what SerialTasks does, in \(acts.count) acts, and checks each of them.

      swift run notes               plays all acts
      swift run notes --act NAME    plays one; may be given several times
      swift run notes --svg dark    prints the picture of an act, for a dark page or a light one
      swift run notes --help        prints this

    Acts:
    \(acts.map { "  \($0.name.padded(to: 9)) \($0.title)" }.joined(separator: "\n"))

    The status is 0 if all acts succeeded, 1 if one failed, and 2 if an argument is
    wrong. There are no colors if the output is piped or NO_COLOR is set.
    """
  }
}
