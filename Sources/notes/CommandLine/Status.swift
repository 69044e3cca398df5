/// The program's exit statuses, as `sysexits` numbers them where it does.
enum Status: Int32, CaseIterable {
  case right = 0
  case wrong = 1
  case badUsage = 64
  case badData = 65
  case noInput = 66
  case cannotCreate = 73
  /// 128 and the number of the signal, as shells count.
  case interrupted = 130
}

extension Status {
  /// What the status means, for the help.
  var meaning: String {
    switch self {
    case .right: "everything was played, and stores, answers and backend calls are what they must be"
    case .wrong: "it was played and is not right"
    case .badUsage: "the arguments were not understood"
    case .badData: "the script has no calls, or lines that cannot be played"
    case .noInput: "the script cannot be read"
    case .cannotCreate: "the store or the page cannot be written"
    case .interrupted: "it was interrupted with Ctrl-C; what was played until then is shown"
    }
  }
}
