extension Timeline {
  /// Returns a trace in Chrome's JSON format, for ui.perfetto.dev and chrome://tracing.
  ///
  /// Each executor is a process, and each of its keys a track, or several if its jobs overlap. A job is a slice while it
  /// waits and one while it runs, with an arrow from the job whose end let it begin. Everything else is an instant.
  public func trace() -> String {
    var (events, tracks, processes) = ([String](), [Int: String](), [String: Int]())
    // Slices of a track must not overlap. By title: tracks, and until when they are taken.
    var (lanes, count) = ([String: [(track: String, end: Double)]](), 0)
    func json(_ text: String) -> String { "\"\(text.printable.replacing(["\"": "\\\"", "\\": "\\\\"]))\"" }
    func time(_ seconds: Double) -> Double { (seconds * 1e9).rounded() / 1e3 }
    func write(_ phase: String, _ name: String, _ track: String, at moment: Double, _ rest: String) {
      events.append("{\"ph\":\"\(phase)\",\"name\":\(json(name)),\(track),\"ts\":\(time(moment)),\(rest)}")
    }
    for index in sorted {
      let (row, start) = (rows[index], max(rows[index].asked, 0))
      var taken = lanes.removeValue(forKey: row.title) ?? []
      let lane = taken.firstIndex { $0.end <= start } ?? taken.count
      if lane == taken.count {
        (count, processes[row.executor]) = (count + 1, processes[row.executor] ?? processes.count + 1)
        taken.append(("\"pid\":\(processes[row.executor]!),\"tid\":\(count)", start))
        write("M", "process_name", taken[lane].track, at: 0, "\"args\":{\"name\":\(json(row.executor))}")
        write("M", "thread_name", taken[lane].track, at: 0, "\"args\":{\"name\":\(json(row.title))}")
      }
      let track = taken[lane].track
      taken[lane].end = row.strokes.last?.to ?? start
      (tracks[index], lanes[row.title]) = (track, taken)
      for (ink, from, to) in row.strokes {
        let length = ((time(to) - time(from)) * 1e3).rounded() / 1e3
        write("X", row.label + (ink == .runs ? "" : " \(ink.look.meaning)"), track, at: from, "\"dur\":\(length)")
      }
      for mark in row.marks { write("i", "\(row.label) \(mark.ink.look.meaning)", track, at: mark.time, "\"s\":\"t\"") }
    }
    for (index, row) in rows.enumerated() {
      guard let cause = row.cause, let began = row.began, let ended = rows[cause].ended else { continue }
      // Just before its end, where it is still the slice.
      let (arrow, end) = ("\"cat\":\"turn\",\"id\":\(index)", max(ended - 1e-9, rows[cause].began!))
      write("s", "lets begin", tracks[cause]!, at: end, arrow)
      write("f", "lets begin", tracks[index]!, at: began, "\(arrow),\"bp\":\"e\"")
    }
    return "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n\(events.joined(separator: ",\n"))\n]}\n"
  }
}
