import Foundation
import Servers
import Testing

/// What those who should not are told, and what they can take from others.
@Suite(.serialized, .timeLimit(.minutes(2))) struct StrangerTests {
  private static let read = "GET /accounts HTTP/1.1\r\nhost: a\r\n\r\n"

  /// Fails if: what the service tells about itself is told to its clients, or to no one.
  @Test func whatTheServiceTellsAboutItselfIsElsewhere() async throws {
    try await RunningService.with { service in
      for path in ["metrics", "waits", "health", "ready"] {
        let (asked, looked) = (try await service.ask(path), try await service.look(path))
        #expect(asked.status == 404 && looked.status == 200, "\(path)")
      }
    }
  }

  /// Fails if: a client that says nothing, or too little at a time, keeps its connection.
  @Test func aSilentClientIsLeft() async throws {
    try await RunningService.with(["--client-patience", "1"]) { service in
      for (sent, answer) in [
        ("", ""), ("GET /accounts HTTP/1.1\r\nho", ""),
        ("POST /transfers HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\n{", "HTTP/1.1 408"),
        ("POST /accounts/account-0/notes HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\n{", "HTTP/1.1 408"),
      ] {
        let connection = try RawConnection(service.port)
        connection.send(sent)
        let (text, hasEnded) = connection.receive()
        #expect(hasEnded && text.hasPrefix(answer) && text.isEmpty == answer.isEmpty, "\(sent): \(text)")
      }
    }
  }

  /// A byte now and then, for longer than a request may take.
  ///
  /// Fails if: each byte gives the client more time.
  @Test func aSlowClientIsLeft() async throws {
    try await RunningService.with(["--client-patience", "1"]) { service in
      let post = ["transfers", "nowhere"].map { "POST /\($0) HTTP/1.1\r\nhost: a\r\ncontent-length: 10000\r\n\r\n" }
      for head in ["GET /accounts HTTP/1.1\r\na: "] + post {
        let connection = try RawConnection(service.port)
        connection.send(head)
        let end = ContinuousClock.now + .seconds(20)
        while connection.send("a"), end > .now { try await Task.sleep(for: .milliseconds(50)) }
        #expect(end > .now)
      }
    }
  }

  /// Fails if: a connection for which there is no room is let in, not answered, not counted, or logged each time, or one that has
  /// ended leaves no room.
  @Test func oneConnectionTooManyIsAnswered() async throws {
    try await RunningService.with(["--maximum-connections", "2"]) { service in
      func ask() throws -> (connection: RawConnection, answer: String) {
        let connection = try RawConnection(service.port)
        connection.send(StrangerTests.read)
        return (connection, connection.receive(answers: 1).text)
      }
      var inside = [try ask(), try ask()]
      #expect(inside.allSatisfy { $0.answer.hasPrefix("HTTP/1.1 200") })
      let (outside, answer) = try ask()
      #expect(answer.hasPrefix("HTTP/1.1 503") && answer.lowercased().contains("retry-after: 1"))
      #expect(outside.receive().hasEnded)
      #expect(try service.log().contains("no room for 1 connections more than 2"))
      // Each is counted, and not each is a line.
      let begin = ContinuousClock.now
      for _ in 1..<50 { #expect(try ask().answer.hasPrefix("HTTP/1.1 503")) }
      let seconds = Int(begin.duration(to: .now) / .seconds(1))
      #expect(try service.log().matches(of: /no room for/).count <= seconds + 2)
      #expect(try await service.look("metrics").text.contains("connections_refused{port=\"clients\"} 50"))
      inside.removeLast()
      while try !ask().answer.hasPrefix("HTTP/1.1 200") { await Task.yield() }
    }
  }

  /// Connections that say nothing where the service tells about itself, more than there is room for.
  ///
  /// Fails if: they keep out those who look whether it is well.
  @Test func silentConnectionsDoNotHideHealth() async throws {
    try await RunningService.with { service in
      let idle = try (0..<100).map { _ in try RawConnection(Int(service.metricsPort)) }
      for _ in 0..<10 { #expect(try await service.look("health").status == 200) }
      withExtendedLifetime(idle) {}
    }
  }

  /// More connections than there are descriptors.
  ///
  /// Fails if: they take all descriptors, so that no one is answered, and the service tries again and again to get one.
  @Test func descriptorsDoNotRunOut() async throws {
    try await RunningService.with(descriptors: 200) { service in
      let idle = try (0..<400).map { _ in try RawConnection(service.port) }
      #expect(
        try String(contentsOfFile: service.errors, encoding: .utf8).contains("descriptors for 90 connections only"))
      let outside = try RawConnection(service.port)
      #expect(outside.receive().text.hasPrefix("HTTP/1.1 503"))
      let before = try service.process.processorTime()
      try await Task.sleep(for: .seconds(1))
      #expect(try service.process.processorTime() - before < .milliseconds(300))
      #expect(try await service.look("health").status == 200)
      withExtendedLifetime(idle) {}
    }
  }

  /// Fails if: a service that cannot begin does not say why, or begins, and finds that out at the first write.
  @Test(arguments: [
    (["--database", "host=127.0.0.1 port=1 dbname=bank"], "refused"),
    (["--way", "fenced", "--locks", "host=127.0.0.1 port=1 dbname=bank"], "refused"),
  ]) func aServiceThatCannotBeginSaysWhy(_ options: [String], _ why: String) async throws {
    await #expect {
      try await RunningService.with(options) { _ in }
    } throws: { ($0 as? RunningService.NotRunning)?.log.contains(why) == true }
  }
}
