#if !os(Windows) && !os(WASI)
  import SerialTasksFenced

  nonisolated enum Ledger: Hashable, Sendable {
    case book(year: Int)
  }

  @MainActor final class Bookkeeping {
    let books: FencedSerialTaskExecutor<Ledger>
    let draft = Draft()
    var shown: [Ledger: UInt64] = [:]

    init(_ access: some ExclusiveAccess<Ledger>) {
      books = FencedSerialTaskExecutor(
        name: "books", access: access, jobsPerAccess: 10, capacity: 1_000, capacityPerKey: 100
      ) { event in
        print(event.kind, event.keys)
      } onAccess: { request in
        print(request)
      }
    }

    func open(_ year: Int) async throws -> Token {
      try await books.enqueue(for: .book(year: year), name: "open") { fence in
        shown[.book(year: year)] = fence.number
        draft.edits += 1  // still on the main actor; `draft` is not Sendable
        return Token(id: year)  // not copyable
      }
    }

    func openLater(_ year: Int) {  // from a synchronous callback; the place is taken here
      let job = books.submit(for: .book(year: year), priority: .high) { fence in
        self.shown[.book(year: year)] = fence.number
        return fence.number
      }
      job.whenComplete { print($0) }
    }
  }

  /// An engine that lends the access of another under names of its own.
  nonisolated struct Prefixed<Access: ExclusiveAccess<String>>: ExclusiveAccess {
    let access: Access
    let prefix: String

    nonisolated(nonsending) func withAccess(
      to key: String, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
    ) async throws {
      try await access.withAccess(to: prefix + key) { fence in
        try await turn(Fence(number: fence.number) { try fence.check() })
      }
    }

    nonisolated(nonsending) func waitUntilAnotherAsks(for key: String, under fence: Fence) async throws {
      try await access.waitUntilAnotherAsks(for: prefix + key, under: fence)
    }
  }

  @MainActor final class Transfers {
    let accounts: FencedSerialTaskExecutor<String>
    var last: [String: UInt64] = [:]

    init(_ path: String) throws {
      accounts = FencedSerialTaskExecutor(access: try LockFolder(path), keepsAccessFor: .milliseconds(50))
    }

    func move(_ amount: Int, from payer: String, to payee: String) async throws -> Int {
      try await accounts.enqueue(touching: [payer, payee], name: "move", waitingAtMost: .seconds(2)) { fences in
        last = fences.mapValues(\.number)  // still on the main actor
        return amount
      }
    }

    func moveLater(_ keys: Set<String>) async throws(BooksError) {
      accounts.submit(touching: keys, priority: .high) { fences in self.last = fences.mapValues(\.number) }
      let job = accounts.submit(touching: keys) { fences in
        if fences.isEmpty { throw BooksError.missing }
        return fences.count
      }
      let count = try await accounts.enqueue(touching: keys, rejectedAs: BooksError.unavailable) {
        fences async throws(BooksError) in
        fences.count
      }
      print(await job.result, count)
    }
  }

  nonisolated func failures(_ path: String) async {
    do {
      try await Prefixed(access: LockFolder(path), prefix: "a").withAccess(to: "b") { print($0.number) }
    } catch LockFolderError.system(let call, let path, let code) {
      print(call, path, code)
    } catch AccessError.lost(let number, let reason) {
      print(number, reason)
    } catch { print(error) }
  }

  nonisolated enum BooksError: Error {
    case unavailable(FencedRejection)
    case missing
  }

  nonisolated func typed(_ books: FencedSerialTaskExecutor<Ledger>) async throws(BooksError) {
    let number = try await books.enqueue(for: .book(year: 1), rejectedAs: BooksError.unavailable) {
      fence async throws(BooksError) in
      fence.number
    }
    let job = books.submit(for: .book(year: 2)) { fence in fence.number }
    print(number, try await job.result.mapError { _ in BooksError.missing }.get())
  }
#endif
