import SerialTasks
import SerialTasksTesting

/// Events written by hand, in milliseconds.
struct Script {
  private static let start = ContinuousClock.now

  static func event(
    _ time: Int, _ kind: TaskEvent.Kind, _ job: String? = nil, _ place: UInt64? = nil, on executor: String = "notes",
    keys: [String] = [], waited: Int? = nil, ran: Int? = nil
  ) -> TaskEvent {
    TaskEvent(
      kind: kind, executor: executor, keys: keys, job: job, place: place,
      instant: start.advanced(by: .milliseconds(time)), waited: waited.map { .milliseconds($0) },
      ran: ran.map { .milliseconds($0) })
  }

  /// A job that waits, runs and finishes.
  static func job(
    _ job: String, _ place: UInt64, asked: Int, began: Int, ended: Int, on executor: String = "notes",
    keys: [String] = [], _ end: TaskEvent.Kind = .finished
  ) -> [TaskEvent] {
    let waiting = event(asked, .waiting, job, place, on: executor, keys: keys)
    return (began > asked ? [waiting] : []) + [
      event(began, .began, job, place, on: executor, keys: keys, waited: began - asked),
      event(ended, end, job, place, on: executor, keys: keys, waited: began - asked, ran: ended - began),
    ]
  }
}

struct ShopError: Error, CustomStringConvertible {
  let description: String
}

extension Script {
  /// The lines of a chart.
  static func chart(_ events: [TaskEvent], width: Int = 60, lines: Int = 40, isASCII: Bool = false) -> [String] {
    let text = Timeline(events).text(width: width, lines: lines, isASCII: isASCII)
    return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}
