import ArgumentParser
import Foundation

/// A program that lets candidates compete.
package struct Comparison {
  let program: String
  let title: String
  let guide: Guide
  let options: Options

  package init(program: String, title: String, guide: Guide, options: Options) {
    self.program = program
    self.title = title
    self.guide = guide
    self.options = options
  }

  /// Measures, prints and writes; whatever is wrong with the arguments is said before anything is measured.
  package func run(_ contests: [Contest]) async throws {
    if let check = options.check { return try self.check(check) }
    let contests = try contests.matching(options.filter)
    let json = try options.json.map(OutputFile.init)
    let html = try options.html.map(OutputFile.init)

    var runner = Runner(pace: options.quick ? .quick : .full, contests: contests.count, interruption: Interruption())
    let outcome = await runner.run(contests)
    print(Table(outcome, guide: guide).text)
    try json?.write(Report(program: program, outcome).encoded())
    try html?.write(Data(Page(title: title, program: program, guide: guide, outcome: outcome).text.utf8))
    for file in [json, html].compactMap(\.self) { print("wrote \(file.path)") }
    if runner.interruption.wasAsked { throw ExitCode(130) }
  }

  private func check(_ path: String) throws {
    guard let data = FileManager.default.contents(atPath: path) else { throw ValidationError("cannot read \(path)") }
    let report: Report
    do { report = try Report.decode(data) } catch { throw ValidationError("\(path) is no report: \(error)") }
    guard report.program == program else { throw ValidationError("\(path) is a report of \(report.program)") }
    print("\(path): \(report.results.count) results, \(report.isComplete ? "complete" : "not complete")")
  }
}
