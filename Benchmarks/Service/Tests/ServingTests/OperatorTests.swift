import Foundation
import Servers
import Testing

/// What those who run the service see.
@Suite(.serialized, .timeLimit(.minutes(2))) struct OperatorTests {
  /// Fails if: a counter is not there before its first event, or a family does not say what it is.
  @Test func countersAreThereFromTheStart() async throws {
    try await RunningService.with { service in
      let page = try await service.look("metrics").text
      for line in [
        "# TYPE requests_refused counter", #"requests_refused{why="lateWrite"} 0.0"#,
        #"requests_refused{why="numbersBeganAgain"} 0.0"#, #"requests_refused{why="unknown"} 0.0"#,
        #"jobs_rejected{executor="accounts",reason="full"} 0.0"#, #"connections_refused{port="clients"} 0.0"#,
        "# TYPE jobs_waiting_now gauge", #"jobs_running_now{executor="accounts"} 0.0"#, "bank_connections_busy 0.0",
        "connections 0.0", "answers_unread_bytes 0.0", "# TYPE bank_database_reads counter",
      ] { #expect(page.contains(line + "\n"), "\(line)") }
    }
  }

  /// Fails if: a request is not counted under its route and its status, or its time is not in the parts that are above it.
  @Test func requestsAreCounted() async throws {
    try await RunningService.with { service in
      #expect(try await service.transfer().status == 201)
      for path in ["accounts/account-0", "accounts/nobody", "nowhere"] { _ = try await service.ask(path) }
      let page = try await service.look("metrics").text
      #expect(page.contains("# TYPE http_requests_seconds histogram\n"))
      for (route, method, status) in [
        ("/transfers", "POST", 201), ("/accounts/{id}", "GET", 200), ("/accounts/{id}", "GET", 404),
        ("NotFound", "GET", 404),
      ] {
        let labels = #"{route="\#(route)",method="\#(method)",status="\#(status)""#
        #expect(page.contains("http_requests_seconds_count\(labels)} 1\n"), "\(page)")
        #expect(page.contains("http_requests_seconds_bucket\(labels),le=\"+Inf\"} 1\n"))
        #expect(page.contains("http_requests_seconds_bucket\(labels),le=\"10.0\"} 1\n"))
      }
    }
  }

  /// Fails if: what runs and waits at this moment is not seen, or not for which accounts it waits, or what has happened last.
  @Test func whatWaitsIsSeen() async throws {
    try await RunningService.with { service in
      async let reviewed = service.transfer("a", amount: 7_777)
      while try !service.log().contains("review of a began") { try await Task.sleep(for: .milliseconds(10)) }
      async let second = service.transfer("b", from: "account-1", to: "account-2")
      func waits() async throws -> Bool {
        try await service.look("metrics").text.contains("jobs_waiting_now{executor=\"accounts\"} 1.0\n")
      }
      while try await !waits() { try await Task.sleep(for: .milliseconds(10)) }
      #expect(try await service.look("metrics").text.contains("jobs_running_now{executor=\"accounts\"} 1.0\n"))
      let page = try await service.look("waits").text
      #expect(page.contains("transfer account-0 → account-1") && page.contains("transfer account-1 → account-2"))
      // The chart shows both as of the last event: one that runs, and one that has just begun to wait.
      for part in ["The last events:\n", "account-1 █", "account-2 ┊", "› unfinished\n"] {
        #expect(page.contains(part), "\(page)")
      }
      #expect(try await [reviewed.status, second.status] == [201, 201])
    }
  }

  /// Fails if: a refused request is not logged in one line with its id, its job and the reason, or is not counted.
  @Test func aRefusedRequestIsOneLine() async throws {
    try await RunningService.with(["--waiting-at-most", "0"]) { service in
      async let reviewed = service.transfer("a", amount: 7_777)
      while try !service.log().contains("review of a began") { try await Task.sleep(for: .milliseconds(10)) }
      let note = #"{"request":"c","id":"c","text":""}"#
      #expect(try await service.transfer("b").status == 503)
      #expect(try await service.ask("accounts/account-0/notes", note).status == 503)
      #expect(try await service.ask("accounts/account-0").status == 503)
      let lines = try service.log().split(separator: "\n").filter { $0.contains("reject") }
      #expect(lines.count == 3)
      for (line, job) in zip(lines, ["transfer account-0 → account-1", "add account-0", "read account-0"]) {
        for part in ["hb.request.id=", "job=\(job)", "why="] { #expect(line.contains(part), "\(line)") }
      }
      let page = try await service.look("metrics").text
      #expect(page.contains("requests_refused{why=\"rejected\"} 3.0\n"))
      #expect(page.contains("jobs_rejected{executor=\"accounts\",reason=\"late\"} 3.0\n"))
      #expect(try await reviewed.status == 201)
    }
  }

  /// Fails if: what a stranger asks for that is not there is logged where everything is read, or the first lines do not say how the
  /// service runs.
  @Test func theLogSaysHowItRuns() async throws {
    try await RunningService.with { service in
      _ = try await service.ask("accounts/\(String(repeating: "a", count: 193))")
      let log = try service.log()
      #expect(!log.contains("aaaa"))
      let start = try #require(log.split(separator: "\n").first { $0.contains(" starts") })
      for part in ["way=coalescing", "engine=none", "capacity=1000", "answers=64 MB"] { #expect(start.contains(part)) }
      #expect(log.matches(of: /port=(clients|metrics) .*listening on/).count == 2)
    }
  }
}
