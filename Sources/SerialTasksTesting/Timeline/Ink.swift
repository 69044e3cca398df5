import SerialTasks

enum Ink: CaseIterable {
  case waits, drafted, runs, shares
  case failed, rejected, replaced, withdrawn, cancelled, left, held, served, earlier, unfinished

  var isMark: Bool { ![.waits, .drafted, .runs, .shares].contains(self) }

  var look: (sign: String, ascii: String, color: Int, meaning: String) {
    switch self {
    case .waits: ("░", "-", 90, "waits")
    case .drafted: ("·", ".", 90, "waits for a newer one")
    case .runs: ("█", "#", 34, "in progress")
    case .shares: ("▒", "=", 36, "shares the run above")
    case .failed: ("!", "!", 31, "failed")
    case .rejected: ("✗", "x", 31, "rejected")
    case .replaced: ("»", "r", 33, "replaced")
    case .withdrawn: ("⊖", "w", 33, "withdrawn")
    case .cancelled: ("⊗", "c", 33, "cancelled")
    case .left: ("◂", "l", 33, "left")
    case .held: ("▲", "^", 31, "held too long")
    case .served: ("◆", "s", 36, "got a stored result")
    case .earlier: ("‹", "<", 90, "came earlier")
    case .unfinished: ("›", ">", 90, "unfinished")
    }
  }

  static func of(_ kind: TaskEvent.Kind) -> (ink: Ink, words: String)? {
    switch kind {
    case .failed(is CancellationError), .rejected(.cancelled): (.cancelled, "cancelled")
    case .failed(let error): (.failed, "failed: \(error)")
    case .rejected(.withdrawn): (.withdrawn, "withdrawn")
    case .rejected(.deadlock(let error)): (.rejected, "deadlock \(error.path.joined(separator: " → "))")
    case .rejected(let why): (.rejected, "rejected: \(why.name)")
    case .replaced: (.replaced, "replaced")
    case .left(let why): (.left, "left: \(why.name)")
    case .served: (.served, "got a stored result")
    case .heldTooLong(let waiting, let started):
      (.held, "held too long, \(waiting) wait" + (started.map { ", “\($0)” started inside" } ?? ""))
    case .waiting, .drafted, .began, .joined, .finished: nil
    }
  }
}
