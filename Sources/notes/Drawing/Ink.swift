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
  /// What a screen fetches, without an owner of its loads and with one.
  case unowned, owned
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
    case .unowned: "a fetch, each trigger for itself"
    case .owned: "a fetch, through Reloader"
    }
  }

  /// How a terminal draws it; what runs and what waits, and reads and writes, differ without colours too.
  var character: Character {
    switch self {
    case .turn: "░"
    case .read, .own, .owned: "█"
    case .unowned: "▓"
    case .write: "▚"
    case .joined, .flight: "▒"
    case .served: "◆"
    case .backend: "━"
    }
  }

  var colour: Paint.Colour {
    switch self {
    case .turn, .backend, .unowned: .faint
    case .read, .joined: .read
    case .write: .write
    case .own, .flight, .served, .owned: .flight
    }
  }

  /// How a page draws it; the colour is that of the row, and writes are striped, so that they need none.
  var style: String {
    switch self {
    case .turn: "wait"
    case .read, .own, .unowned, .owned: "run"
    case .write: "run stripes"
    case .joined, .flight: "ride"
    case .served: "dot"
    case .backend: "line"
    }
  }
}
