/// The panels as one page that needs nothing but itself: no script, no font, no network.
struct HTMLPage {
  let panels: [Panel]

  var text: String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
    <title>SerialTasks: who waited for whom</title>
    <style>
    \(HTMLStyle.sheet)
    </style>
    </head>
    <body>
    <main>
    <header>
    <h1>SerialTasks: who waited for whom</h1>
    <p>Calls as <code>notes</code> has played them, the demonstration of SerialTasks, a Swift package for async work that \
    runs in order, or once for all who want the same. A row is a call, and its bar runs from the moment it was asked for to \
    its end. A ring leads from what a job holds to what it asks for. Below each picture: <b class="right">what was checked \
    and is right</b>, or <b class="warning">what goes wrong, or costs more, and is shown to compare</b>, or \
    <b class="wrong">what must not be</b>.</p>
    \(legend)
    </header>
    \(panels.map(section).joined(separator: "\n"))
    <footer>Made by <code>notes</code>, the demonstration of SerialTasks.</footer>
    </main>
    </body>
    </html>

    """
  }

  /// What can be seen on the page.
  private var legend: String {
    let seen = Set(panels.flatMap { $0.timeline?.inks ?? [] })
    if seen.isEmpty { return "" }
    let items = Ink.allCases.filter(seen.contains).map { ink in
      "<li class=\"\(ink.rawValue)\"><span class=\"swatch \(ink.style)\"></span>\(ink.meaning)</li>"
    }
    return "<ul class=\"legend\" aria-label=\"Legend\">\n\(items.joined(separator: "\n"))\n</ul>"
  }

  private func section(_ panel: Panel) -> String {
    let details = panel.details.map { "<li>\(HTMLText.escaped($0))</li>" }.joined(separator: "\n")
    return """
      <section>
      <h2>\(HTMLText.escaped(panel.title))</h2>
      <p>\(HTMLText.escaped(panel.introduction))</p>
      \(panel.timeline.map { HTMLChart(timeline: $0).text } ?? "")\(panel.ring?.html ?? "")
      <p class="finding \(Self.name(panel.mood))">\(HTMLText.escaped(panel.finding))</p>
      \(details.isEmpty ? "" : "<ul class=\"details\">\n\(details)\n</ul>")
      </section>
      """
  }

  private static func name(_ mood: Panel.Mood) -> String {
    switch mood {
    case .right: "right"
    case .warning: "warning"
    case .wrong: "wrong"
    }
  }
}
