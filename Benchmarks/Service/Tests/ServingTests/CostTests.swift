import Foundation
import Servers
import Testing

/// What one client may cost.
@Suite(.serialized, .timeLimit(.minutes(2))) struct CostTests {
  private static func read(_ path: String) -> String { "GET /\(path) HTTP/1.1\r\nhost: a\r\n\r\n" }

  private struct Account: Decodable {
    struct Note: Decodable { let id: String, text: String }
    let notes: [Note]
    let next: String?
  }

  /// Adds notes of this size to account-7.
  private func add(_ count: Int, of size: Int, to service: RunningService) async throws {
    let text = String(repeating: "x", count: size)
    for number in 100..<100 + count {
      let body = #"{"request":"r\#(number)","id":"n\#(number)","text":"\#(text)"}"#
      #expect(try await service.ask("accounts/account-7/notes", body).status == 201)
    }
  }

  /// Fails if: an answer grows with what is in the database, or pages show a note twice, or not at all.
  @Test(arguments: [(250, 10), (7, 60_000)]) func notesComeInPages(_ count: Int, _ size: Int) async throws {
    try await RunningService.with { service in
      try await add(count, of: size, to: service)
      var (found, next, pages): ([String], String?, Int) = ([], nil, 0)
      repeat {
        let answer = try await service.ask("accounts/account-7" + (next.map { "?from=\($0)" } ?? ""))
        #expect(answer.body.count < 130_000)
        let page = try JSONDecoder().decode(Account.self, from: answer.body)
        found += page.notes.map(\.id)
        (next, pages) = (page.next, pages + 1)
      } while next != nil && pages <= count
      #expect(found == (100..<100 + count).map { "n\($0)" })
      #expect(pages > 2)
    }
  }

  /// Fails if: accounts are listed in one answer, however many there are, or pages show one twice, or not at all.
  @Test func accountsComeInPages() async throws {
    try await RunningService.with(["--accounts", "230"]) { service in
      let first = try await service.ask("accounts").text
      let names = first.matches(of: /account-\d+/).map { "\($0.output)" }
      let second = try await service.ask("accounts?from=\(try #require(names.last))").text
      #expect(names.count == 101)
      #expect(second.matches(of: /"balance"/).count == 100)
      #expect(second.contains("\"\(names[100])\"") && !second.contains("\"\(names[99])\""))
    }
  }

  /// Clients that ask for the largest answer, and read nothing.
  ///
  /// Fails if: each holds what it was answered, or small answers have no room beside theirs.
  @Test func anUnreadAnswerCostsLittle() async throws {
    try await RunningService.with { service in
      try await add(3, of: 60_000, to: service)
      let before = try service.process.memory()
      // Each asks often enough to fill what the system keeps for it.
      let readers = try (0..<200).map { _ in
        let connection = try RawConnection(service.port, receiving: 4_096)
        connection.send(String(repeating: CostTests.read("accounts/account-7"), count: 20))
        return connection
      }
      for _ in 0..<20 { #expect(try await service.ask("accounts/account-3").status == 200) }
      #expect(try service.process.memory() - before < 90 << 20)
      withExtendedLifetime(readers) {}
    }
  }

  /// Fails if: answers that are not read have no limit, or what was refused for them cannot be had when they are gone.
  @Test func answersThatAreNotReadHaveALimit() async throws {
    try await RunningService.with(["--answers", "2"]) { service in
      try await add(2, of: 60_000, to: service)
      var readers: [RawConnection] = []
      var answer = try await service.ask("accounts/account-7")
      while answer.status == 200, readers.count < 100 {
        readers.append(try RawConnection(service.port, receiving: 4_096))
        readers.last!.send(String(repeating: CostTests.read("accounts/account-7"), count: 20))
        answer = try await service.ask("accounts/account-7")
      }
      #expect(answer.status == 503 && answer.header("retry-after") == ["1"])
      #expect(try await service.look("metrics").text.contains(/requests_refused{why="unread"} [1-9]/))
      #expect(try await service.ask("accounts/account-3").status == 200)
      readers = []
      let end = ContinuousClock.now + .seconds(20)
      while try await service.ask("accounts/account-7").status != 200 {
        try #require(end > .now)
        await Task.yield()
      }
    }
  }

  /// Fails if: a client that goes on reading is cut off, or one that does not is not.
  @Test func onlyAClientThatDoesNotReadIsLeft() async throws {
    try await RunningService.with(["--client-patience", "1"]) { service in
      try await add(20, of: 60_000, to: service)
      // More than the system keeps.
      let asked = String(repeating: CostTests.read("accounts/account-7?from=n104"), count: 10)
      let (reads, sleeps) = (
        try RawConnection(service.port, receiving: 4_096), try RawConnection(service.port, receiving: 4_096)
      )
      for connection in [reads, sleeps] { connection.send(asked) }
      var (bytes, end) = (0, ContinuousClock.now + .seconds(4))
      while ContinuousClock.now < end {
        bytes += reads.take(4_096)
        try await Task.sleep(for: .milliseconds(20))
      }
      end = .now + .seconds(20)
      while bytes < 600_000, case let more = reads.take(1 << 16), more > 0, end > .now { bytes += more }
      #expect(bytes >= 600_000)
      var rest = 0
      while rest < 600_000, case let more = sleeps.take(1 << 16), more > 0 { rest += more }
      #expect(rest < 600_000)
    }
  }
}
