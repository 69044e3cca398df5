import SerialTasks

/// Why a call failed.
enum NotesError: Error, Hashable {
  /// There is no such note.
  case missing(Int)
  /// There is such a note already.
  case exists(Int)
  /// The folder did not do what it was asked to.
  case storage(String)
  /// The call was rejected before it began.
  case unavailable(JobRejection)
}

extension NotesError: CustomStringConvertible {
  var description: String {
    switch self {
    case .missing(let id): "there is no note \(id)"
    case .exists(let id): "there is a note \(id) already"
    case .storage(let reason): "the store failed: \(reason)"
    case .unavailable(let rejection): "\(rejection)"
    }
  }
}
