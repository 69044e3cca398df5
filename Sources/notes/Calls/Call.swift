/// Something the repository is asked to do.
enum Call: Hashable, Sendable {
  case read(Int)
  case readAll
  case add(Int, text: String)
  case update(Int, text: String)
  case delete(Int)
}

extension Call {
  /// The note the call changes; `nil` if it only reads.
  var written: Int? {
    switch self {
    case .read, .readAll: nil
    case .add(let id, _), .update(let id, _), .delete(let id): id
    }
  }

  var isRead: Bool { written == nil }

  /// The note the call reads or changes; `nil` if it reads them all.
  var note: Int? { if case .read(let id) = self { id } else { written } }

  /// The call in two or three words.
  var label: String {
    switch self {
    case .read(let id): "read \(id)"
    case .readAll: "read all"
    case .add(let id, _): "add \(id)"
    case .update(let id, _): "update \(id)"
    case .delete(let id): "delete \(id)"
    }
  }

  /// The call as sentences and events name it; no two of a run have the same name.
  func name(place: Int) -> String { "call \(place) (\(label))" }

  /// The text the call writes, if it writes one.
  var text: String? {
    switch self {
    case .add(_, let text), .update(_, let text): text
    case .read, .readAll, .delete: nil
    }
  }
}

/// What a call answered.
enum Answer: Hashable, Sendable {
  case note(Note)
  case notes([Note])
  case done
}

/// How a call ended.
typealias Outcome = Result<Answer, NotesError>

/// A call and when it is to be made.
struct TimedCall: Hashable, Sendable {
  /// When it is asked for, from the beginning.
  var at: Duration
  var call: Call
  /// How long it takes once it runs.
  var takes: Duration
  /// The line of the script it was read from.
  var line: Int?
}
