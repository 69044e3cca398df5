import SerialTasks

struct TimelineReader {
  var origin = ContinuousClock.now
  private(set) var last = 0.0
  private var rows: [TimelineRow] = []
  /// By executor: the newest row of each place, and the ended jobs in order.
  private var (newest, ends) = ([String: [UInt64: Int]](), [String: [Int]]())
  /// By job, in order of arrival; the job itself stands for the one that leads.
  private var callers: [Int: [Int]] = [:]

  mutating func read(_ event: TaskEvent) {
    let moment = event.instant - origin
    let (now, began) = (moment / .seconds(1), event.ran.map { (moment - $0) / .seconds(1) })
    let asked = (moment - (event.ran ?? .zero) - (event.waited ?? .zero)) / .seconds(1)
    last = max(last, now)
    let job = row(of: event, now, asked)
    var row = job
    switch event.kind {
    case .waiting: break
    case .drafted: rows[job].wait = .drafted
    case .began: (rows[job].began, rows[job].cause) = (now, asked < now ? cause(of: rows[job]) : nil)
    case .heldTooLong: rows[job].began = rows[job].began ?? began ?? now
    case .finished, .failed:
      (rows[job].began, rows[job].ended) = (rows[job].began ?? began ?? now, now)
      ends[event.executor, default: []].append(job)
    case .rejected, .replaced, .served: rows[job].ended = now
    case .joined: callers[job, default: [job]].append(add(event, now, joining: job))
    case .left:
      // The first of its name that did not come before it.
      let index = callers[job, default: [job]].firstIndex {
        (event.job == nil || rows[$0].label == event.job) && rows[$0].asked >= asked - 1e-6
      }
      row = index.map { callers[job, default: [job]].remove(at: $0) } ?? add(event, asked, joining: job)
      if row != job { rows[row].ended = now }
    }
    guard let (ink, words) = Ink.of(event.kind) else { return }
    rows[row].marks.append((ink, now))
    rows[row].words += (rows[row].words.isEmpty ? "" : ", ") + words.printable
  }

  /// The rows with strokes, and with marks for what is not recorded.
  var drawn: [TimelineRow] {
    rows.map { row in
      let (job, start) = (row.host.map { rows[$0] } ?? row, max(row.asked, 0))
      let (end, began) = (row.ended ?? job.ended, job.began ?? (job.wait == .runs ? start : nil))
      let stop = max(end ?? last, start)
      let turn = min(max(began ?? stop, start), stop)
      var drawn = row
      if turn > start { drawn.strokes = [(row.wait, start, turn)] }
      if began != nil { drawn.strokes.append((row.host == nil ? .runs : .shares, turn, stop)) }
      if end == nil { drawn.marks.insert((.unfinished, last), at: 0) }
      if row.asked < 0 { drawn.marks.insert((.earlier, 0), at: 0) }
      return drawn
    }
  }

  var sorted: [Int] {
    var ranks: [String: Int] = [:]
    for name in rows.flatMap({ [$0.executor, $0.title] }) where ranks[name] == nil { ranks[name] = ranks.count }
    let order = rows.enumerated().map { (ranks[$1.executor]!, ranks[$1.title]!, $1.place, $1.host ?? $0, $0) }
    return rows.indices.sorted { order[$0] < order[$1] }
  }

  /// Returns a new row if the event must be of another job than the newest at its place.
  private mutating func row(of event: TaskEvent, _ now: Double, _ asked: Double) -> Int {
    let known = event.place.flatMap { newest[event.executor]?[$0] }
    if let known, canBe(event.kind, of: rows[known], now) {
      let old = rows[known].asked
      rows[known].asked = old.isFinite ? min(old, asked) : event.waited == nil ? old : asked
      return known
    }
    let row = add(event, asked)
    if let place = event.place { newest[event.executor, default: [:]][place] = row }
    if let known, rows[known].marks.last?.ink == .replaced { rows[known].words = "replaced by \(rows[row].label)" }
    return row
  }

  private mutating func add(_ event: TaskEvent, _ asked: Double, joining job: Int? = nil) -> Int {
    // No event says when the job came that this caller joins.
    let isUnknown = if case .joined = event.kind { job == nil } else { false }
    let unnamed = job != nil ? "a caller" : event.place.map { "job \($0)" } ?? "a job"
    let name = (isUnknown ? event.operation : event.job) ?? unnamed
    var row = TimelineRow(label: name.printable, executor: event.executor, keys: event.keys)
    (row.title, row.place, row.host) = (row.executor.touching(row.keys), event.place ?? .max, job)
    (row.wait, row.asked) = isUnknown ? (.runs, -.infinity) : (.waits, asked)
    rows.append(row)
    return rows.count - 1
  }

  /// Returns the last to end of those with a common key for which this one waited.
  private func cause(of job: TimelineRow) -> Int? {
    (ends[job.executor] ?? []).reversed().lazy.prefix { rows[$0].ended! > job.asked }.first { other in
      job.keys.isEmpty || rows[other].keys.isEmpty || job.keys.contains(where: rows[other].keys.contains)
    }
  }

  /// Returns whether the event can be of this job, not of another one at its place.
  private func canBe(_ kind: TaskEvent.Kind, of job: TimelineRow, _ now: Double) -> Bool {
    switch kind {
    // These may be reported after the job has begun or ended.
    case .waiting, .drafted: job.marks.last?.ink != .replaced && now <= job.began ?? job.ended ?? now
    case .began, .rejected, .replaced: job.began == nil && job.ended == nil
    case .finished, .failed, .heldTooLong: job.ended == nil
    case .joined, .left, .served: true
    }
  }
}
