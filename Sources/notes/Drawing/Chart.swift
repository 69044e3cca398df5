import SerialTasks

/// The meaning of a part of a bar.
enum Ink: Character, CaseIterable {
  case waits = "░"
  case reads = "█"
  case writes = "▚"
  case shares = "▒"
  case drops = "─"
  case rejected = "✗"

  var meaning: String {
    switch self {
    case .waits: "waits for its turn"
    case .reads: "reads"
    case .writes: "writes"
    case .shares: "shares an answer"
    case .drops: "is dropped"
    case .rejected: "is rejected"
    }
  }

  var colour: Paint.Colour {
    switch self {
    case .waits, .drops: .faint
    case .reads: .blue
    case .writes: .yellow
    case .shares: .cyan
    case .rejected: .red
    }
  }
}

/// A play as a picture: a row for each call, with a bar from the call to its answer.
struct Chart {
  /// The text at the end of a row.
  struct Remark: ExpressibleByStringInterpolation {
    var text = ""
    /// What is wrong, if anything.
    var fault = ""

    init(_ text: String, fault: String = "") { (self.text, self.fault) = (text, fault) }
    init(stringLiteral text: String) { self.init(text) }
  }

  /// A part of a bar, in milliseconds.
  struct Stretch {
    let ink: Ink
    let from, to: Int
  }

  /// The name of the way, and how it is written in code.
  let title, code: String
  let play: Play
  let remark: (Log.Entry) -> Remark

  /// Makes a chart, whose remarks are by default what each call found.
  init(_ title: String, _ code: String, _ play: Play, remark: ((Log.Entry) -> Remark)? = nil) {
    (self.title, self.code, self.play) = (title, code, play)
    self.remark = remark ?? { Self.found($0, in: play) }
  }

  /// What a call found, and what it should have found.
  private static func found(_ entry: Log.Entry, in play: Play) -> Remark {
    guard let answer = try? entry.answer?.get(), let found = answer.found else { return "" }
    let must = play.inOrder?.found[entry.call.number] ?? found
    let source = answer.by == entry.call.number ? "" : ", found by \(answer.by)"
    return Remark("→ \(found.text)\(source)", fault: found == must ? "" : "✗ must be \(must.text)")
  }
}

// MARK: - Bars

extension Chart {
  /// The parts of the bar of a call.
  func stretches(_ entry: Log.Entry) -> [Stretch] {
    if case .failure(is JobRejection) = entry.answer {
      return [Stretch(ink: .rejected, from: entry.asked, to: entry.asked + 1)]
    }
    let answer = try? entry.answer?.get()
    guard let began = entry.began, let ended = entry.ended else {
      let other = play.entries.first { $0.call.number == answer?.by }
      return other?.ended.map { [Stretch(ink: .shares, from: entry.asked, to: $0)] } ?? []
    }
    let isDropped = answer.map { $0.by != entry.call.number } ?? false
    let ink: Ink = isDropped ? .drops : entry.call.isRead ? .reads : .writes
    return [Stretch(ink: .waits, from: entry.asked, to: began), Stretch(ink: ink, from: began, to: ended)]
  }

  var inks: [Ink] {
    let used = play.entries.flatMap(stretches).filter { $0.to > $0.from }.map(\.ink)
    return Ink.allCases.filter(used.contains)
  }

  private static let (labelWidth, barWidth) = (15, 32)

  /// The lines of the picture.
  ///
  /// - Parameters:
  ///   - scale: The time of a whole bar.
  ///   - paint: Adds colors.
  /// - Returns: The lines, at most ``Terminal/width`` wide.
  func lines(scale: Int, paint: Paint) -> [String] {
    let head = paint("\(title): ", .bold) + code
    let rows = play.entries.map { entry in
      let label = (entry.isNested ? "  " : "") + entry.call.label
      let remark = remark(entry)
      let words = remark.text + (remark.text.isEmpty || remark.fault.isEmpty ? "" : "  ") + paint(remark.fault, .red)
      return "  \(entry.call.number) " + label.padded(to: Self.labelWidth) + bar(entry, scale, paint) + "  " + words
    }
    var axis = String(repeating: " ", count: 4 + Self.labelWidth) + "0"
    axis += String(repeating: " ", count: Self.barWidth - seconds(scale).count - 1) + seconds(scale)
    return [head] + rows.map(\.trimmed) + store(paint) + [paint(axis, .faint)]
  }

  private func store(_ paint: Paint) -> [String] {
    guard let after = play.after, let must = play.inOrder?.after else { return [] }
    let fault = after == must ? "" : paint("  ✗ must be \(must.text)", .red)
    return ["    " + "in the end".padded(to: Self.labelWidth) + after.text + fault]
  }

  private func bar(_ entry: Log.Entry, _ scale: Int, _ paint: Paint) -> String {
    func cell(_ moment: Int) -> Int { scale > 0 ? (moment * Self.barWidth + scale / 2) / scale : 0 }
    var (bar, length) = ("", 0)
    for stretch in stretches(entry) where stretch.to > stretch.from {
      bar += String(repeating: " ", count: max(0, cell(stretch.from) - length))
      length = max(length, cell(stretch.from))
      let count = max(cell(stretch.to) - length, 1)
      bar += paint(String(repeating: stretch.ink.rawValue, count: count), stretch.ink.colour)
      length += count
    }
    return bar + String(repeating: " ", count: max(0, Self.barWidth - length))
  }
}

extension String {
  fileprivate var trimmed: String { String(reversed().drop { $0 == " " }.reversed()) }
}
