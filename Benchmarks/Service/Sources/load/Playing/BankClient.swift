import Bank
import Foundation
import Servers

/// Asks a server, or several that are one, and notes what it is answered.
struct BankClient: Sendable {
  /// Of the servers; the first is asked first.
  var urls: [String]
  var http = HTTPClient()
  let tally: Tally
  /// How often a write that was refused, or not answered, is asked for again under its name, each time at the next server.
  var repetitions = 0
  /// Whether it leaves a busy server alone for longer and longer, as a client should; or asks again soon, to see when it is well.
  var isPatient = false
  /// When it is not asked for again any more, and not waited for.
  var deadline: ContinuousClock.Instant?

  struct Answer: Sendable {
    let status: Int
    let body: Data
    /// The number of the server among those that this client knows.
    let server: Int
  }

  /// Returns the last answer; `nil` if there was none.
  @discardableResult
  func send(_ method: String, _ path: String, _ body: (some Encodable)?, write: String? = nil) async -> Answer? {
    let begin = ContinuousClock.now
    var answer: Answer?
    var (isTold, mayBeDone) = (false, false)
    for attempt in 0...(write == nil ? 0 : repetitions) {
      if attempt > 0 {
        if let deadline, ContinuousClock.now > deadline { break }
        tally.note { $0.repeated += 1 }
        let pause = isPatient ? Double(min(64, 1 << attempt)) * Double.random(in: 0.5...1) : 0.1
        try? await Task.sleep(for: .seconds(pause))
      }
      if Task.isCancelled { break }
      answer = await ask(attempt % urls.count, method, path, body)
      isTold = isTold || answer != nil
      if let answer, answer.status != 503, answer.status != 504 { break }
      mayBeDone = mayBeDone || answer?.status != 503
    }
    if write != nil, !isTold, !Task.isCancelled { tally.note { $0.untold += 1 } }
    // What is refused at the end may have been done at an earlier attempt, whose answer was lost.
    let isUnknown = answer?.status == 503 && mayBeDone
    tally.end(isUnknown ? nil : answer?.status, since: begin, write: write)
    return answer
  }

  private func ask(_ server: Int, _ method: String, _ path: String, _ body: (some Encodable)?) async -> Answer? {
    let begin = ContinuousClock.now
    do {
      let body = try body.map { try JSONEncoder().encode($0) }
      let limit = min(.seconds(30), max(.seconds(1), deadline.map { $0 - begin } ?? .seconds(30)))
      let answer = try await http.ask(urls[server] + path, method, body, within: limit)
      tally.answer(answer.status, after: ContinuousClock.now - begin)
      if answer.status == 503, answer.header("retry-after").isEmpty { tally.note { $0.withoutRetryAfter += 1 } }
      return Answer(status: answer.status, body: answer.body, server: server)
    } catch {
      tally.note { if Task.isCancelled { $0.hungUp += 1 } else { $0.broken += 1 } }
      return nil
    }
  }

  /// A client that asks another server first.
  func beginning(at first: Int) -> BankClient {
    let first = first % urls.count
    var client = self
    client.urls = Array(urls[first...] + urls[..<first])
    return client
  }

  func get(_ path: String) async -> Answer? { await send("GET", path, String?.none) }

  func text(_ path: String) async throws -> String { try await http.ask(urls[0] + path, within: .seconds(10)).text }

  func transfer(_ from: Name, _ to: Name, _ amount: Int) async -> Int? {
    let transfer = Transfer(id: "\(UUID())", from: from, to: to, amount: amount)
    return await send("POST", "/transfers", transfer, write: transfer.id.text)?.status
  }

  /// Adds, updates or deletes a note; returns a client that asks the server first which has acknowledged that, if one has.
  func change(_ method: String, note: String, of account: Name, to text: String) async -> BankClient? {
    let path = "/accounts/\(account)/notes" + (method == "POST" ? "" : "/\(note)")
    let id = UUID().uuidString
    let body = ["request": id, "id": note, "text": text]
    guard let answer = await send(method, path, body, write: id), answer.status < 300 else { return nil }
    return beginning(at: answer.server)
  }
}
