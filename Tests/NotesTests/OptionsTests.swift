import Testing

@testable import notes

@Suite(.watched) struct OptionsTests {
  private func options(_ arguments: String...) throws -> Options? {
    if case .play(let options) = try Options.parse(arguments) { options } else { nil }
  }

  @Test func valuesComeAfterTheFlagOrAttachedToIt() throws {
    let options = try #require(try options("--script", "a b", "--store=x=y", "--html=--odd"))
    #expect(options.script == "a b")
    #expect(options.store == "x=y")
    #expect(options.html == "--odd")
    #expect(try self.options()?.script == nil)
  }

  @Test func actsArePlayedInTheOrderAskedAndAllIfNoneIs() throws {
    #expect(try options()?.actsToPlay == ActName.allCases)
    let chosen = try options("--act", "coalescing", "--act=overlap", "--store", "s")
    #expect(chosen?.actsToPlay == [.coalescing, .overlap])
    #expect(chosen?.store == "s")
  }

  @Test func aScriptGoesThroughTheCoalescingExecutorUnlessAskedOtherwise() throws {
    #expect(try options("--script", "s")?.way == .coalescing)
    for way in Way.allCases { #expect(try options("--through=\(way)", "--script", "s")?.way == way) }
  }

  @Test func anExampleIsFoundByName() throws {
    for example in Example.allCases {
      #expect(try options("--example", example.rawValue, "--through=serial")?.example == example)
    }
  }

  @Test(arguments: ["--help", "-h"]) func helpIsHelpAlsoAfterOtherFlags(flag: String) throws {
    #expect(try Options.parse([flag]) == .help)
    #expect(try Options.parse(["--store", "x", flag]) == .help)
  }

  // Fails if: a case is let through, or named without saying which argument it is.
  @Test(arguments: [
    (["--colour"], "unknown flag “--colour”"),
    (["--colour=red"], "unknown flag “--colour”"),
    (["-s"], "unknown flag “-s”"),
    (["notes.jsonl"], "unexpected argument “notes.jsonl”"),
    (["--script"], "--script needs a FILE"),
    (["--store", "--html", "x"], "--store needs a DIR"),
    (["--html="], "--html needs a FILE"),
    (["--html", ""], "--html needs a FILE"),
    (["--store", "a", "--store=b"], "--store is given twice"),
    (["--act"], "--act needs a NAME"),
    (
      ["--act", "Overlap\u{7}"],
      "unknown act “Overlap\u{FFFD}”; there are \(ActName.list)"
    ),
    (["--act", "overlap", "--act=overlap"], "--act overlap is given twice"),
    (
      ["--script", "s", "--act", "overlap"], "--script is played instead of acts, so it cannot be given with --act"
    ),
    (
      ["--act=coalescing", "--act=reentrancy", "--store", "s"],
      "--store is for acts that keep notes (overlap), and none was asked for"
    ),
    (["--through"], "--through needs a WAY"),
    (
      ["--script", "s", "--through", "Actor"],
      "unknown way “Actor”; there are actor, serial, coalescing, touching, apart"
    ),
    (["--script=s", "--through=serial", "--through", "actor"], "--through is given twice"),
    (["--through", "serial"], "--through says how a script is played, so it needs --example or --script"),
    (["--example"], "--example needs a NAME"),
    (
      ["--example", "a-busy-scr\u{7}een"],
      "unknown example “a-busy-scr\u{FFFD}een”; there are a-busy-screen, an-offline-queue, a-busy-minute"
    ),
    (["--example", "a-busy-screen", "--script", "s"], "--script and --example cannot be given together"),
    (
      ["--example", "a-busy-screen", "--act", "overlap"],
      "--example is played instead of acts, so it cannot be given with --act"
    ),
    (["a\u{1B}[2Jb"], "unexpected argument “a\u{FFFD}[2Jb”"),
  ])
  func whatIsNotUnderstoodIsNamedInOneLine(arguments: [String], message: String) {
    #expect(throws: Refusal(.badUsage, "\(message); see notes --help")) { try Options.parse(arguments) }
  }

  @Test func theHelpNamesEveryFlagStatusAndCall() {
    for flag in Flag.allCases { #expect(Help.text.contains("  \(flag.name) \(flag.value)")) }
    for act in ActName.allCases { #expect(Help.text.contains("  \(act.rawValue) ")) }
    for act in ActName.allCases { #expect(Help.text.contains("  \(act.meaning)\n")) }
    for example in Example.allCases { #expect(Help.text.contains("  \(example.rawValue) ")) }
    for example in Example.allCases { #expect(Help.text.contains("  \(example.meaning)\n")) }
    for way in Way.allCases { #expect(Help.text.contains("  \(way.rawValue) ")) }
    for way in Way.allCases { #expect(Help.text.contains("  \(way.meaning)\n")) }
    for status in Status.allCases { #expect(Help.text.contains(status.meaning)) }
    for word in ["read", "readAll", "add", "update", "delete", "NO_COLOR"] { #expect(Help.text.contains(word)) }
    #expect(Help.text.split(separator: "\n").allSatisfy { $0.count <= 120 })
  }

  @Test func colourIsForThoseWhoWantIt() {
    #expect(Console.wantsColour([:]))
    #expect(Console.wantsColour(["NO_COLOR": ""]))
    #expect(!Console.wantsColour(["NO_COLOR": "0"]))
    #expect(!Console.wantsColour(["TERM": "dumb"]))
  }
}
