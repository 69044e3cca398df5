import Foundation

/// Jobs per second of one, two and six processes, on one key and on many, beside `flock` by hand.
///
///     fenced [--quick]
///
/// It starts itself as the processes: `fenced child CANDIDATE FOLDER KEYS MILLISECONDS`, which begins when it is sent a line.
@main struct Fenced {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.count == 5, arguments[0] == "child", let candidate = Candidate(rawValue: arguments[1]),
      let keys = Int(arguments[3]), let milliseconds = Int(arguments[4]), keys > 0
    {
      return try await child(candidate, arguments[2], keys: keys, milliseconds: milliseconds)
    }
    if arguments == ["--help"] || arguments == ["-h"] { return print(usage) }
    guard arguments.isEmpty || arguments == ["--quick"] else {
      let words = "fenced: not understood: \(arguments.joined(separator: " "))\n\(usage)\n"
      FileHandle.standardError.write(Data(words.utf8))
      exit(64)
    }
    let milliseconds = arguments.isEmpty ? 2_000 : 250
    print("jobs per second; in brackets the share of the process that had least, of what would be its fair share\n")
    for keys in [1, 50] {
      print(keys == 1 ? "one key" : "\n\(keys) keys")
      print("  processes \(padded("1", 16)) \(padded("2", 16)) \(padded("6", 16))")
      for candidate in Candidate.allCases {
        let cells = try [1, 2, 6].map { try cell(candidate, keys: keys, processes: $0, milliseconds) }
        print("            \(cells.map { padded($0, 16) }.joined(separator: " "))   \(candidate.title)")
      }
    }
  }

  private static let usage = """
    usage: fenced [--quick]

    Jobs per second of one, two and six processes that work on the same keys: FencedSerialTaskExecutor beside flock by
    hand. A job reads a number from a file and writes the next one. It takes about a minute, --quick ten seconds.
    """

  private static func child(_ candidate: Candidate, _ folder: String, keys: Int, milliseconds: Int) async throws {
    _ = readLine()
    let jobs = try await candidate.run(in: folder, keys: keys, until: .now + .milliseconds(milliseconds))
    print(jobs)
  }

  private static func cell(
    _ candidate: Candidate, keys: Int, processes: Int, _ milliseconds: Int
  ) throws -> String {
    let folder = NSTemporaryDirectory() + "serial-tasks-benchmark-\(UInt64.random(in: 0...(.max)))"
    for name in ["locks", "store"] {
      try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
    }
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let children = try (0..<processes).map { _ in
      try Child(["child", candidate.rawValue, folder, "\(keys)", "\(milliseconds)"])
    }
    for child in children { try child.begin() }
    let jobs = try children.map { try $0.jobs() }
    let total = jobs.reduce(0, +)
    let stored = (0..<keys).reduce(0) { $0 + number(in: "\(folder)/store/\($1)") }
    guard stored == total else { fatalError("\(candidate.title): \(total) jobs, and \(stored) are in the store") }
    let share = Double(jobs.min()!) * Double(processes) / Double(max(total, 1))
    return "\(total * 1_000 / milliseconds)" + (processes == 1 ? "" : " (\(Int((share * 100).rounded())) %)")
  }

  private static func number(in path: String) -> Int {
    guard let data = FileManager.default.contents(atPath: path) else { return 0 }
    return data.enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}

/// One of the processes.
struct Child {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  init(_ arguments: [String]) throws {
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    #if os(macOS)
      process.executableURL = Bundle.main.executableURL
    #endif
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  func begin() throws { try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8)) }

  func jobs() throws -> Int {
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    guard let jobs = Int(text.filter(\.isNumber)) else { fatalError("a process ended without a number") }
    return jobs
  }
}
