import Foundation
import SerialTasks
import Testing

/// The README's first screen, run.
///
/// What it says goes wrong does, and what it says cures it does. Both blocks stand in the README letter for letter.
struct ReadmeTests {
  let uploads = Uploads()

  /// "milk" is being uploaded while "eggs" comes and goes.
  @Test func theProblem() async throws {
    let notebook = Before.Notebook(uploads: uploads)
    let milk = Task { try await notebook.append("milk") }
    await uploads.gate.arrived()
    try await notebook.append("eggs")
    uploads.gate.open()
    try await milk.value
    #expect(await notebook.notes == ["milk"], "the README says that a note is lost")
  }

  /// Fails if: the executor lets the second job in while the first awaits.
  @Test func theCure() async throws {
    let notebook = After.Notebook(uploads: uploads)
    let milk = Task { try await notebook.append("milk") }
    await uploads.gate.arrived()
    let eggs = Task { try await notebook.append("eggs") }
    while notebook.writes.snapshot.waiting == 0 { await Task.yield() }
    uploads.gate.open()
    _ = (try await milk.value, try await eggs.value)
    #expect(await notebook.notes == ["milk", "eggs"])
  }

  @Test func bothBlocksStandInTheReadme() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let root = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    for file in ["ReadmeBefore.swift", "ReadmeAfter.swift"] {
      let source = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      let block = source.components(separatedBy: "// README\n")[1].components(separatedBy: "\n")
      let shown = block.dropLast(2).map { $0.hasPrefix("  ") ? String($0.dropFirst(2)) : $0 }.joined(separator: "\n")
      #expect(readme.contains(shown), "\(file) and README.md differ")
    }
  }
}

/// A service that is slow with the first note.
struct Uploads {
  let gate = Gate()

  func callAsFunction(_ notes: [String]) async throws {
    if notes == ["milk"] { await gate.pass() }
  }
}
