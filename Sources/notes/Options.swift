/// What the command line asks for.
struct Options {
  struct Mistake: Error {
    let sentence: String
  }

  private(set) var wantsHelp = false
  /// In the order in which they were asked for.
  private(set) var acts: [any Act]

  /// Reads the arguments behind the name of the program.
  ///
  /// - Parameters:
  ///   - arguments: What to read.
  ///   - all: The acts that there are.
  /// - Throws: What is wrong with the first argument that is.
  init(_ arguments: [String], acts all: [any Act]) throws(Mistake) {
    acts = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--help", "-h": wantsHelp = true
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
    Shows what SerialTasks does, in \(acts.count) acts, and checks that each comes out right.

      swift run notes               plays all acts
      swift run notes --act NAME    plays one; may be given several times
      swift run notes --help        prints this

    Acts:
    \(acts.map { "  \($0.name.padded(to: 9)) \($0.title)" }.joined(separator: "\n"))

    The status is 0 if all came out right, 1 if something did not, and 2 if an argument
    is wrong. There are no colours if the output is piped, or NO_COLOR is set.
    """
  }
}
