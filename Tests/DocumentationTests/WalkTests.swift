import Testing

/// `WALK.md` names what a contended write runs through.
@Suite(.watched) struct WalkTests {
  /// Fails if: a step is renamed or moved, or the walk is longer than a reader can follow.
  @Test func eachStepIsInItsFile() throws {
    let sources = try ["SerialTasks", "CoalescingTasks"].flatMap { try Page.all(in: "Sources/\($0)", ".swift") }
    let walk = try Page(Page.root.appending(path: "Sources/SerialTasks/WALK.md"))
    var (steps, files) = (0, Set<String>())
    for line in walk.lines where line.hasPrefix("- `") {
      let names = line.matches(of: #/`([^`]+)`/#).map { String($0.output.1) }
      let source = try #require(sources.first { $0.name == "\(names[0]).swift" }, "\(line)")
      files.insert(names[0])
      for name in names.dropFirst() {
        let declarations =
          ["func \(name)(", "func \(name)<", "var \(name): "] + (name == "init" ? ["init(", "init?("] : [])
        #expect(source.lines.contains { line in declarations.contains { line.contains($0) } }, "\(names[0]): \(name)")
        steps += 1
      }
    }
    #expect((50...60).contains(steps) && files.count <= 20)
  }
}
