import SerialTasks

/// A chart of what really ran, made of events: `print(Timeline(log.entries))`.
///
/// Each job has a row, in order of place, below its executor and keys; so has each caller that joined it. Time begins
/// with the first event. A job that came earlier, or whose end is not recorded, is marked. Executors with the same name
/// are drawn as one. O(events).
public struct Timeline: Sendable, CustomStringConvertible {
  /// The rows, their order by executor, keys and place, and the time of the last event, in seconds after the first.
  let rows: [TimelineRow], sorted: [Int], last: Double

  /// Creates a timeline of events, those of each executor in the order in which they were reported.
  public init(_ events: some Sequence<TaskEvent>) {
    let events = Array(events)
    var reader = TimelineReader()
    reader.origin = events.map(\.instant).min() ?? reader.origin
    for event in events { reader.read(event) }
    (rows, sorted, last) = (reader.drawn, reader.sorted, reader.last)
  }

  /// The chart as text: 80 columns, at most 40 lines.
  public var description: String { text() }
}

/// A job, a caller of one, jobs that are folded, or a title.
struct TimelineRow: Sendable {
  let label: String
  var isTitle = false, executor = "", keys: [String] = [], title = "", place = UInt64.max, wait = Ink.waits, words = ""
  /// The job that this caller joined, and the one whose end let this one begin.
  var host, cause: Int?
  var asked = 0.0, began, ended: Double?
  var strokes: [(ink: Ink, from: Double, to: Double)] = []
  var marks: [(ink: Ink, time: Double)] = []
}
