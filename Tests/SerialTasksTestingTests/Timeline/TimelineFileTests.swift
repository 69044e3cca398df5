import Foundation
import SerialTasks
import TestWatch
import Testing

@testable import SerialTasksTesting

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// The chart as a picture and as a trace: files that others read.
@Suite(.watched) struct TimelineFileTests {
  /// A key of two jobs, a whole job, a caller, each kind of end, a job of another executor, and names that need escapes.
  private let events: [TaskEvent] =
    Script.job("a \"1\" \\ <b> &\u{301} \"\u{301}", 1, asked: 0, began: 0, ended: 100, keys: ["k"])
    + Script.job("b", 2, asked: 20, began: 100, ended: 180, keys: ["k", "l"])
    + Script.job("c", 3, asked: 30, began: 180, ended: 200)
    + [Script.event(190, .joined, "d", 3), Script.event(195, .left(.cancelled), "d", 3, waited: 5)]
    + Script.job("e", 1, asked: 50, began: 60, ended: 90, on: "au&dit", .failed(ShopError(description: "<no>\u{0}")))
    + [
      Script.event(95, .rejected(.full(capacity: 1)), "f", on: "au&dit", waited: 0),
      Script.event(150, .waiting, "g", 4),
      Script.event(160, .drafted, "h", 5), Script.event(170, .replaced, "h", 5, waited: 10),
    ]

  /// Fails if: the picture is not XML, runs or loads anything, or a row has no title.
  @Test func thePictureIsValid() throws {
    let reader = SVGReader()
    let parser = XMLParser(data: Data(Timeline(events).svg().utf8))
    parser.delegate = reader
    #expect(parser.parse(), "\(String(describing: parser.parserError))")
    #expect(reader.names.subtracting(["svg", "title", "style", "rect", "g", "path", "text"]).isEmpty)
    #expect(reader.attributes.isDisjoint(with: ["href", "xlink:href", "onload", "onclick"]))
    #expect(reader.titles.contains("a \"1\" \\ <b> &\u{301} \"\u{301}, runs 100 ms"))
    #expect(reader.titles.contains("b, waits 80 ms, runs 80 ms"))
    #expect(reader.titles.contains { $0.hasPrefix("f, rejected: full") })
    #expect(reader.groupsWithoutTitle == 0)
  }

  /// Fails if: a class has no look, or only one of two themes.
  @Test func thePictureHasTwoThemes() throws {
    let svg = Timeline(events).svg()
    let themes = svg.components(separatedBy: "@media (prefers-color-scheme:dark)")
    #expect(themes.count == 2)
    for kind in Set(Ink.allCases.map(\.look.color)) {
      #expect(themes.allSatisfy { $0.contains(".c\(kind){color:#") }, "c\(kind)")
    }
  }

  /// Fails if: a trace breaks a rule of the format, or leaves out a job, a mark or an arrow.
  @Test func theTraceIsValid() throws {
    let trace = try Trace(Timeline(events).trace())
    trace.check()
    #expect(trace.named("process_name").map { $0.argument("name") }.contains("au&dit"))
    #expect(
      Set(trace.named("thread_name").map { $0.argument("name") }) == ["notes[k]", "notes[k, l]", "notes", "au&dit"])
    let slices = trace.events.filter { $0.phase == "X" }.map { "\($0.name) \($0.time / 1_000) \($0.length / 1_000)" }
    #expect(slices.contains("a \"1\" \\ <b> &\u{301} \"\u{301} 0.0 100.0") && slices.contains("b waits 20.0 80.0"))
    #expect(slices.contains("b 100.0 80.0") && slices.contains("d shares the run above 190.0 5.0"))
    let instants = trace.events.filter { $0.phase == "i" }.map(\.name)
    #expect(Set(instants) == ["d left", "e failed", "f rejected", "g unfinished", "h replaced"])
    #expect(trace.arrows.sorted() == ["a \"1\" \\ <b> &\u{301} \"\u{301} → b", "b → c"])
  }

  /// Fails if: jobs that overlap are slices of one track, which would have to be nested; or jobs that do not have many.
  @Test func slicesOfATrackDoNotOverlap() throws {
    let line = (0..<40).flatMap { number in
      Script.job("\(number)", UInt64(number), asked: number, began: 10 * number, ended: 10 * number + 10)
    }
    let trace = try Trace(Timeline(line).trace())
    trace.check()
    #expect(trace.arrows.count == 39 && trace.named("thread_name").count > 10)
    let alone = (0..<40).flatMap { number in
      Script.job("\(number)", UInt64(number), asked: 10 * number, began: 10 * number, ended: 10 * number + 10)
    }
    #expect(try Trace(Timeline(alone).trace()).named("thread_name").count == 1)
  }

  /// Fails if: an arrow comes from a job that was not in the way, or ended before the other came.
  @Test func arrowsSayWhoLetBegin() throws {
    let events = [
      Script.job("other", 1, asked: 0, began: 0, ended: 90, keys: ["z"]),
      Script.job("own", 2, asked: 0, began: 0, ended: 80, keys: ["k"]),
      Script.job("later", 4, asked: 95, began: 95, ended: 99, keys: ["y"]),
      Script.job("paused", 5, asked: 99, began: 150, ended: 160, keys: ["k"]),
    ]
    let next = Script.job("next", 3, asked: 10, began: 91, ended: 92, keys: ["k"])
    #expect(try Trace(Timeline(events[1] + events[0] + next + events[2] + events[3]).trace()).arrows == ["own → next"])
  }
}

/// Notes what is in a picture.
private final class SVGReader: NSObject, XMLParserDelegate {
  private(set) var names: Set<String> = [], attributes: Set<String> = [], titles: [String] = []
  private(set) var groupsWithoutTitle = 0
  private var text = ""

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes found: [String: String] = [:]
  ) {
    names.insert(name)
    attributes.formUnion(found.keys)
    if name == "g" { groupsWithoutTitle += 1 }
    text = ""
  }

  func parser(_ parser: XMLParser, foundCharacters found: String) { text += found }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
    guard name == "title" else { return }
    titles.append(text)
    if titles.count > 1 { groupsWithoutTitle -= 1 }
  }
}
