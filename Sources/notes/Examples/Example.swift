/// The scripts that come with the program, played by name.
enum Example: String, CaseIterable {
  case busyScreen = "a-busy-screen"
  case offlineQueue = "an-offline-queue"
  case busyMinute = "a-busy-minute"
}

extension Example {
  /// What it shows, for the help.
  var meaning: String {
    switch self {
    case .busyScreen: "screens that read the same notes, and an edit between their reads"
    case .offlineQueue: "edits that were made offline, and are replayed in their order"
    case .busyMinute: "edits that come faster than they can be written, one of them too late"
    }
  }

  /// The script, as a file would have it.
  var script: String {
    switch self {
    case .busyScreen: Self.busyScreenScript
    case .offlineQueue: Self.offlineQueueScript
    case .busyMinute: Self.busyMinuteScript
    }
  }

  static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
