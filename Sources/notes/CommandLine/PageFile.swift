import Foundation

/// The file that the page goes to.
struct PageFile {
  let path: String
  private let url: URL

  /// Checks, before anything is played, that the page can be written and that it replaces nothing it should not.
  init(_ path: String, apartFrom options: Options) throws(Refusal) {
    self.path = path
    url = URL(fileURLWithPath: path, isDirectory: false)
    let place = Self.resolved(url)
    if let script = options.script, Self.resolved(URL(fileURLWithPath: script, isDirectory: false)) == place {
      throw Refusal(.badUsage, "--html and --script name the same file; see notes --help")
    }
    if let store = options.store,
      Self.resolved(URL(fileURLWithPath: store, isDirectory: true)) == Self.resolved(url.deletingLastPathComponent())
    {
      throw Refusal(.badUsage, "--html names a file in the folder of --store, which holds notes only; see notes --help")
    }
    try check()
  }

  func write(_ text: String) throws(Refusal) {
    do { try Data(text.utf8).write(to: url, options: .atomic) } catch { throw refusal(PlainReason.of(error)) }
  }

  private func check() throws(Refusal) {
    let files = FileManager.default
    if let type = try? files.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)[.type] as? FileAttributeType {
      if type == .typeDirectory { throw refusal("it is a folder") }
      if type != .typeRegular { throw refusal("it is not an ordinary file") }
      if !files.isWritableFile(atPath: path) { throw refusal("permission denied") }
    }
    // Tried beside it, because that is where an atomic write begins.
    let probe = url.deletingLastPathComponent().appendingPathComponent(
      ".notes-\(UUID().uuidString)", isDirectory: false)
    do {
      try Data().write(to: probe, options: .withoutOverwriting)
      try files.removeItem(at: probe)
    } catch { throw refusal(PlainReason.of(error)) }
  }

  private func refusal(_ reason: String) -> Refusal {
    Refusal(.cannotCreate, "the page \(path) cannot be written: \(reason)")
  }

  private static func resolved(_ url: URL) -> String { url.standardizedFileURL.resolvingSymlinksInPath().path }
}
