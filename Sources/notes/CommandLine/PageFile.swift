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
    try checkKind()
    let files = FileManager.default
    // Tried next to it, because that is where an atomic write begins.
    let probe = url.deletingLastPathComponent().appendingPathComponent(
      ".notes-\(UUID().uuidString)", isDirectory: false)
    do {
      try Data().write(to: probe, options: .withoutOverwriting)
      try files.removeItem(at: probe)
    } catch { throw refusal(PlainReason.of(error)) }
  }

  /// An atomic write puts a new file where the old one was, so a device or a pipe would be gone afterwards, and a link too.
  ///
  /// Asked of the system, which follows links as opening them would; resolving them by name fails for those of `/proc`.
  private func checkKind() throws(Refusal) {
    var status = stat()
    var linkStatus = stat()
    guard lstat(path, &linkStatus) == 0 else { return }
    guard stat(path, &status) == 0 else { throw refusal("it is a link to nothing") }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: throw refusal("it is a folder")
    case S_IFREG: break
    default: throw refusal("it is not an ordinary file")
    }
    if linkStatus.st_mode & S_IFMT == S_IFLNK { throw refusal("it is a link; name the file itself") }
    if access(path, W_OK) != 0 { throw refusal("permission denied") }
  }

  private func refusal(_ reason: String) -> Refusal {
    Refusal(.cannotCreate, "the page \(path) cannot be written: \(reason)")
  }

  private static func resolved(_ url: URL) -> String { url.standardizedFileURL.resolvingSymlinksInPath().path }
}
