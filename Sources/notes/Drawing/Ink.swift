/// What a stretch of a bar stands for: the vocabulary of the charts and of their legends.
enum Ink: String, CaseIterable {
  /// Waiting for a turn.
  case turn
  case read, write
  /// Waiting for an equal read of another call.
  case joined
  /// A caller's own operation.
  case own
  /// Waiting for another caller's flight.
  case flight
  /// Served with what had been prefetched; a moment.
  case served
  /// A call that the backend works on.
  case backend
}

extension Ink {
  var meaning: String {
    switch self {
    case .turn: "waiting for its turn"
    case .read: "a read runs"
    case .write: "a write runs"
    case .joined: "joined an equal read"
    case .own: "its operation runs"
    case .flight: "waiting for another’s flight"
    case .served: "served what was prefetched"
    case .backend: "the backend works"
    }
  }

  /// How a terminal draws it; what runs and what waits differ without colours too.
  var character: Character {
    switch self {
    case .turn: "░"
    case .read, .write, .own: "█"
    case .joined, .flight: "▒"
    case .served: "◆"
    case .backend: "━"
    }
  }

  var colour: Paint.Colour {
    switch self {
    case .turn, .backend: .faint
    case .read, .joined: .read
    case .write: .write
    case .own, .flight, .served: .flight
    }
  }

  /// How a page draws it; the colour is that of the row.
  var style: String {
    switch self {
    case .turn: "wait"
    case .read, .write, .own: "run"
    case .joined, .flight: "ride"
    case .served: "dot"
    case .backend: "line"
    }
  }
}
