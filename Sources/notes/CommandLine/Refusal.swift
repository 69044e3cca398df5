/// The program's exit statuses, as `sysexits` numbers them where it does.
enum ExitStatus: Int32, CaseIterable {
  case right = 0
  case wrong = 1
  case badUsage = 64
  case badData = 65
  case noInput = 66
  case cannotCreate = 73
}

extension ExitStatus {
  /// What the status means, for the help.
  var meaning: String {
    switch self {
    case .right: "everything was played, and the store is what the calls in their order produce"
    case .wrong: "it was played and is not right"
    case .badUsage: "the arguments were not understood"
    case .badData: "the script has no calls, or lines that cannot be played"
    case .noInput: "the script cannot be read"
    case .cannotCreate: "the store or the page cannot be written"
    }
  }
}

/// Why the program stops before it plays, and with which status.
struct Refusal: Error, Hashable {
  let status: ExitStatus
  let lines: [String]

  init(_ status: ExitStatus, lines: [String]) {
    self.status = status
    self.lines = lines
  }

  init(_ status: ExitStatus, _ line: String) { self.init(status, lines: [line]) }
}
