import Foundation
import Testing

/// A trace in Chrome's format, and the format's rules.
struct Trace {
  struct Event {
    let fields: [String: Any]

    var phase: String { fields["ph"] as? String ?? "" }
    var name: String { fields["name"] as? String ?? "" }
    var time: Double { fields["ts"] as? Double ?? -1 }
    var length: Double { fields["dur"] as? Double ?? 0 }
    var track: [Int] { [fields["pid"] as? Int ?? -1, fields["tid"] as? Int ?? -1] }
    var id: Int? { fields["id"] as? Int }
    func argument(_ name: String) -> String { (fields["args"] as? [String: Any])?[name] as? String ?? "" }
  }

  let events: [Event]

  init(_ text: String) throws {
    let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    events = try #require(object["traceEvents"] as? [[String: Any]]).map(Event.init)
    #expect(["ms", "ns"].contains(object["displayTimeUnit"] as? String))
  }

  func named(_ name: String) -> [Event] { events.filter { $0.name == name } }

  /// From the slice that ended to the one that began.
  var arrows: [String] {
    events.filter { $0.phase == "s" }.compactMap { start in
      guard let end = events.first(where: { $0.phase == "f" && $0.id == start.id }) else { return nil }
      return "\(slice(at: start)?.name ?? "?") → \(slice(at: end)?.name ?? "?")"
    }
  }

  /// An arrow is bound to the slice that encloses it.
  private func slice(at point: Event) -> Event? {
    events.first {
      $0.phase == "X" && $0.track == point.track && $0.time <= point.time && point.time < $0.time + $0.length
    }
  }

  /// The rules of “Trace Event Format”.
  func check() {
    let tracks = Set(named("thread_name").map(\.track))
    for event in events {
      #expect(["X", "i", "s", "f", "M"].contains(event.phase) && !event.name.isEmpty)
      #expect(event.time >= 0 && event.length >= 0 && event.track.allSatisfy { $0 >= 0 })
      #expect(tracks.contains(event.track), "a track without a name")
      switch event.phase {
      case "X": #expect(event.fields["dur"] != nil)
      case "i": #expect(["g", "p", "t"].contains(event.fields["s"] as? String))
      case "M": #expect(!event.argument("name").isEmpty)
      default:
        let ends = events.filter { $0.id == event.id && $0.fields["cat"] as? String == event.fields["cat"] as? String }
        #expect(ends.map(\.phase) == ["s", "f"] && ends[0].time <= ends[1].time && ends[0].name == ends[1].name)
        #expect(event.phase == "s" || event.fields["bp"] as? String == "e")
        #expect(slice(at: event) != nil, "an arrow without a slice")
      }
    }
    for track in tracks {
      let slices = events.filter { $0.phase == "X" && $0.track == track }.sorted { $0.time < $1.time }
      for (one, next) in zip(slices, slices.dropFirst()) { #expect(one.time + one.length <= next.time + 0.000_5) }
    }
  }
}
