import Foundation
import Testing

@testable import notes

/// The act on the screens, played for real.
@Suite(.watched) struct CoalescingActTests {
  private let folder: TemporaryFolder
  private let transcript = Transcript()

  init() throws { folder = try TemporaryFolder() }

  @Test func threeScreensAskOnceAndTheirLeavingAndPrefetchingIsAsItMustBe() async throws {
    let page = "\(folder.path)/page.html"
    #expect(await transcript.run(["--act", "coalescing", "--html", page]) == .right)
    #expect(transcript.complaints.isEmpty)
    // Lines are broken where the terminal ends.
    let output = transcript.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for sentence in [
      "○ The home screen, the feed and the menu each ran an operation of their own: the backend was called 3 times",
      "✓ The home screen led, the feed and the menu joined: 3 answers, and the backend was called once.",
      "without a call of its own: the backend was called once.",
      "its operation went on for the feed and the menu, who had the answer at",
    ] {
      #expect(output.contains(sentence), "\(sentence)")
    }
    let rows = transcript.output.split(separator: "\n").filter { $0.hasPrefix("    backend call ") }
    #expect(rows.count == 6)
    #expect(output.contains("coalescing: A screen that leaves"))
    #expect(output.components(separatedBy: "coalescing: ").count - 1 == 4)
    #expect(!output.contains("kept in /"))
    #expect(try String(contentsOfFile: page, encoding: .utf8).contains("<tr class=\"served\" title="))
    #expect(folder.files == ["page.html"])
  }

  // Fails if: what the act counts and compares does not decide, or is not what really happened.
  @Test func aDeskThatDoesNotCoalesceIsFoundOut() async throws {
    let panels = try await play { PlainDesk(backend: $0) }
    #expect(panels.map(\.mood) == [.warning, .wrong, .wrong, .wrong])
    #expect(Panel.status(of: panels) == .wrong)
    #expect(
      panels[1].finding == """
        What went wrong: the backend was called 3 times and must be called once; 3 callers asked alone and 0 must have; \
        0 callers led and 1 must have; 0 callers joined and 2 must have.
        """)
    #expect(panels[2].finding.contains("0 callers were served what was prefetched and 1 must have"))
    #expect(panels[3].finding.contains("backend call 1 was cancelled"))
  }

  // Fails if: an answer is as good as a CancellationError for who leaves, or a late one as good as one at once.
  @Test(arguments: [true, false]) func aDeskThatDoesNotReleaseItsCallersIsFoundOut(answers: Bool) async throws {
    let panels = try await play { ClingingDesk(desk: CoalescingDesk(backend: $0), answers: answers) }
    #expect(panels.map(\.mood) == [.warning, .right, .right, .wrong])
    let reason = answers ? "was cancelled, and was answered all the same" : "left only when the backend had answered"
    #expect(panels[3].finding.contains("the home screen \(reason)"), "\(panels[3].finding)")
  }

  // Fails if: the act hangs with a caller that is never answered.
  @Test func aDeskThatForgetsACallerIsFoundOut() async throws {
    let panels = try await play(patience: .seconds(1)) { ForgetfulDesk(desk: CoalescingDesk(backend: $0)) }
    #expect(panels[1].mood == .wrong)
    #expect(panels[1].finding.contains("the menu still waited at "), "\(panels[1].finding)")
    #expect(panels[1].timeline?.rows.map { $0.standing == .wrong } == [false, false, true, false])
  }

  /// Plays with a patience that is long enough for a busy machine to bring three callers to a desk that is right.
  private func play(
    patience: Duration = .seconds(5), desk: @escaping @Sendable (Backend) -> any Desk
  ) async throws -> [Panel] {
    var panels: [Panel] = []
    let stage = Stage(console: transcript.console(), scratch: folder.path)
    try await CoalescingAct(desk: desk, patience: patience).play(on: stage) { panels.append($0) }
    return panels
  }
}

/// A caller that leaves it must wait for the answer all the same.
private struct ClingingDesk: Desk {
  let desk: CoalescingDesk
  /// Whether they then get it.
  let answers: Bool

  func ask(_ caller: String) async throws -> Reply {
    let reply = try await Task.immediate { try await desk.ask(caller) }.value
    if !answers { try Task.checkCancellation() }
    return reply
  }

  func prefetch(_ caller: String) { desk.prefetch(caller) }
  func waiting() async -> Int { await desk.waiting() }
  func stored() -> Int { desk.stored() }
}

/// One caller is never answered, or not while anybody watches.
private struct ForgetfulDesk: Desk {
  let desk: CoalescingDesk

  func ask(_ caller: String) async throws -> Reply {
    if caller == "menu" { try await Task.sleep(for: .seconds(60)) }
    return try await desk.ask(caller)
  }

  func prefetch(_ caller: String) { desk.prefetch(caller) }
  func waiting() async -> Int { await desk.waiting() }
  func stored() -> Int { desk.stored() }
}
