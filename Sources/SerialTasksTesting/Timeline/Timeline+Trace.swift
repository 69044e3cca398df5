extension Timeline {
  /// Returns a trace in Chrome's JSON format, for ui.perfetto.dev and chrome://tracing.
  ///
  /// Each executor is a process, and each of its keys a track, or several if its jobs overlap. A job is a slice while it
  /// waits and one while it runs, with an arrow from the job whose end let it begin. Everything else is an instant.
  ///
  /// - Returns: The text of a file.
  public func trace() -> String {
    var (events, tracks, processes) = ([String](), [Int: String](), [String: Int]())
    var (ends, numbers) = ([String: [Double]](), [String: Int]())
    func json(_ text: String) -> String { "\"\(text.printable.replacing(["\"": "\\\"", "\\": "\\\\"]))\"" }
    func time(_ seconds: Double) -> Double { (seconds * 1e9).rounded() / 1e3 }
    func write(_ phase: String, _ name: String, _ track: String, at moment: Double, _ rest: String) {
      events.append("{\"ph\":\"\(phase)\",\"name\":\(json(name)),\(track),\"ts\":\(time(moment - first)),\(rest)}")
    }
    for index in sorted {
      let (row, start) = (rows[index], max(rows[index].asked, first))
      // Slices of a track must not overlap.
      let lane = ends[row.title, default: []].firstIndex { $0 <= start } ?? ends[row.title, default: []].count
      let number = numbers["\(lane) \(row.title)"] ?? numbers.count + 1
      let process = processes[row.executor] ?? processes.count + 1
      let track = "\"pid\":\(process),\"tid\":\(number)"
      if numbers.updateValue(number, forKey: "\(lane) \(row.title)") == nil {
        ends[row.title, default: []].append(start)
        write("M", "process_name", track, at: first, "\"args\":{\"name\":\(json(row.executor))}")
        write("M", "thread_name", track, at: first, "\"args\":{\"name\":\(json(row.title))}")
      }
      ends[row.title]![lane] = row.strokes.last?.to ?? start
      (tracks[index], processes[row.executor]) = (track, process)
      for (ink, from, to) in row.strokes {
        let length = ((time(to - first) - time(from - first)) * 1e3).rounded() / 1e3
        write("X", row.label + (ink == .runs ? "" : " \(ink.look.meaning)"), track, at: from, "\"dur\":\(length)")
      }
      for mark in row.marks { write("i", "\(row.label) \(mark.ink.look.meaning)", track, at: mark.time, "\"s\":\"t\"") }
    }
    for (index, row) in rows.enumerated() {
      guard let cause = row.cause, let began = row.began, let ended = rows[cause].ended else { continue }
      // Just before its end: there, it is still the slice.
      let (arrow, end) = ("\"cat\":\"turn\",\"id\":\(index)", max(ended - 1e-9, rows[cause].began!))
      write("s", "lets begin", tracks[cause]!, at: end, arrow)
      write("f", "lets begin", tracks[index]!, at: began, "\(arrow),\"bp\":\"e\"")
    }
    return "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n\(events.joined(separator: ",\n"))\n]}\n"
  }
}
