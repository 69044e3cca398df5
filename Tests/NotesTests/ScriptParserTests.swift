import Foundation
import Testing

@testable import notes

@Suite(.watched) struct ScriptParserTests {
  private func parse(_ text: String) -> ScriptParser.Outcome { ScriptParser.parse(Data(text.utf8)) }

  @Test func everyCallIsReadWithWhatItNeeds() {
    let script = """
      {"at": 0, "call": "read", "id": 1, "takes": 0.5}
      {"at": 0.25, "call": "readAll"}

      # a comment
      {"at": 1, "call": "add", "id": 2, "text": "tea", "takes": 0}
      {"at": 2, "call": "update", "id": 2, "text": "é \\u003c"}
      {"at": 2.5, "call": "delete", "id": 2, "text": null}
      """
    #expect(
      parse(script)
        == .calls([
          TimedCall(at: .zero, call: .read(1), takes: .milliseconds(500), line: 1),
          TimedCall(at: .milliseconds(250), call: .readAll, takes: .zero, line: 2),
          TimedCall(at: .seconds(1), call: .add(2, text: "tea"), takes: .zero, line: 5),
          TimedCall(at: .seconds(2), call: .update(2, text: "é <"), takes: .zero, line: 6),
          TimedCall(at: .milliseconds(2500), call: .delete(2), takes: .zero, line: 7),
        ]))
  }

  // Fails if: the line number is left out of the order.
  @Test func placesAreInTheOrderOfTimeThenOfLines() throws {
    let times = [3, 1, 2, 1, 3, 1, 0, 2]
    let script = times.enumerated().map { "{\"at\": \($1), \"call\": \"read\", \"id\": \($0)}" }.joined(separator: "\n")
    guard case .calls(let calls) = parse(script) else { throw Failed() }
    #expect(calls.map(\.line) == [7, 2, 4, 6, 3, 8, 1, 5])
  }

  private struct Failed: Error {}

  @Test func filesOfOtherSystemsAreReadToo() {
    let call = "{\"call\": \"readAll\"}"
    let expected = [1, 2].map { TimedCall(at: .zero, call: .readAll, takes: .zero, line: $0) }
    #expect(parse("\u{FEFF}\(call)\r\n\(call)\r\n") == .calls(expected))
    #expect(parse("\n \t\r\n# nothing\n") == .calls([]))
    #expect(parse("") == .calls([]))
  }

  // Fails if: one of them is played.
  @Test(arguments: [
    ("{\"call\": \"readAll\"", "not valid JSON"),
    ("{\"call\": \"readAll\"} {}", "not valid JSON"),
    ("{\"at\": 1e999, \"call\": \"readAll\"}", "“at” must be a number of seconds"),
    ("{\"at\": NaN, \"call\": \"readAll\"}", "not valid JSON"),
    ("[1]", "not a JSON object"),
    ("7", "not a JSON object"),
    ("{}", "“call” is missing"),
    ("{\"call\": null}", "“call” is missing"),
    ("{\"call\": 3}", "“call” must be a string"),
    ("{\"call\": \"ReadAll\"}", "unknown call “ReadAll”"),
    ("{\"call\": \"readAll\", \"take\": 1}", "unknown field “take”"),
    ("{\"call\": \"read\"}", "“read” needs an “id”"),
    ("{\"call\": \"delete\", \"id\": null}", "“delete” needs an “id”"),
    ("{\"call\": \"read\", \"id\": \"1\"}", "“id” must be a whole number"),
    ("{\"call\": \"read\", \"id\": 1.5}", "“id” must be a whole number"),
    ("{\"call\": \"read\", \"id\": -1}", "“id” must be a whole number, not negative"),
    ("{\"call\": \"read\", \"id\": 1e17}", "“id” must be at most 9007199254740991"),
    ("{\"call\": \"add\", \"id\": 1}", "“add” needs a “text”"),
    ("{\"call\": \"update\", \"id\": 1, \"text\": 2}", "“text” must be a string"),
    ("{\"at\": -0.1, \"call\": \"readAll\"}", "“at” must not be negative"),
    ("{\"at\": \"0\", \"call\": \"readAll\"}", "“at” must be a number of seconds"),
    ("{\"takes\": -1, \"call\": \"readAll\"}", "“takes” must not be negative"),
    ("{\"takes\": 1e300, \"call\": \"readAll\"}", "“takes” must be at most 86400"),
  ])
  func aBadLineIsNamedByNumberAndReason(line: String, reason: String) throws {
    guard case .problems(let problems) = parse("{\"call\": \"readAll\"}\n\(line)\n") else { throw Failed() }
    #expect(problems.map(\.line) == [2])
    #expect(problems[0].reason.hasPrefix(reason))
  }

  @Test func bytesThatAreNoTextAreNamed() {
    let data = Data("{\"call\": \"add\", \"id\": 1, \"text\": \"".utf8) + [0xFF] + Data("\"}".utf8)
    #expect(ScriptParser.parse(data) == .problems([LineProblem(line: 1, reason: "not UTF-8")]))
  }

  @Test func allBadLinesAreNamedUpToANumberThatCanBeRead() {
    let problems = (1...25).map { LineProblem(line: $0, reason: "bad\u{7}") }
    let refusal = ScriptFile.refusal(of: "s", problems)
    #expect(refusal.status == .badData)
    #expect(refusal.lines.count == 22)
    #expect(refusal.lines[0] == "s:1: bad\u{FFFD}")
    #expect(refusal.lines[20] == "… and 5 more bad lines")
    #expect(refusal.lines[21] == "nothing was played: correct 25 lines first")
  }
}
