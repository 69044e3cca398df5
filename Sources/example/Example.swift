// A short example of two types. Run it with: swift run example
import CoalescingTasks

/// A slow server that keeps a list; its methods await in the middle, and concurrent calls overlap.
actor Server {
  private(set) var items: [String] = []
  private(set) var downloadCount = 0
  private let delay: @Sendable () async -> Void

  init(delay: @escaping @Sendable () async -> Void) { self.delay = delay }

  func add(_ item: String) async {
    let changed = items + [item]
    await delay()
    items = changed  // an item that another call has added meanwhile is lost
  }

  func download() async -> [String] {
    downloadCount += 1
    await delay()
    return items
  }
}

/// A shopping list: no change is lost, and concurrent downloads are merged.
struct ShoppingList: Sendable {
  let server: Server
  /// Runs changes one after another, in the order of the calls.
  let changes = SerialTaskExecutor(name: "changes")
  /// Shares one download among concurrent callers.
  let downloads = TaskCoalescer<String, [String]>(name: "downloads")

  /// Submits a change, which has its place in the line when this returns, and runs later.
  func add(_ item: String) { changes.submit { await server.add(item) } }

  func items() async throws -> [String] {
    try await downloads.value(for: "items") { await server.download() }
  }
}

@main enum Example {
  static func main() async throws {
    let server = Server { try? await Task.sleep(for: .milliseconds(50)) }
    for line in try await run(ShoppingList(server: server)) { print(line) }
  }

  static func run(_ list: ShoppingList) async throws -> [String] {
    for item in ["milk", "eggs", "bread"] { list.add(item) }
    try await list.changes.drain()  // returns when all changes have run
    let answers = try await withThrowingTaskGroup { screens in
      for _ in 1...5 { screens.addTask { try await list.items() } }
      return try await screens.reduce(into: []) { $0.append($1) }
    }
    return [
      "3 changes at once, in order: \(answers[0].joined(separator: ", "))",
      "\(answers.count) screens at once, downloads: \(await list.server.downloadCount)",
    ]
  }
}
