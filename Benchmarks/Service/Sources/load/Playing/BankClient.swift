import AsyncHTTPClient
import Bank
import Foundation

/// Asks a server, or several that are one, and notes what it is answered.
struct BankClient: Sendable {
  /// Of the servers; the first is asked first.
  let urls: [String]
  let http: HTTPClient
  let tally: Tally
  /// How often a write that was refused, or not answered, is asked for again under its name, each time elsewhere.
  var repetitions = 0

  static func newHTTPClient() -> HTTPClient {
    var configuration = HTTPClient.Configuration()
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 5_000
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.httpVersion = .http1Only
    configuration.timeout.connect = .seconds(5)
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  /// Returns the status and the body; `nil` if there was no answer.
  @discardableResult
  func send(
    _ method: String, _ path: String, _ body: (some Encodable)?, write: String? = nil
  ) async -> (status: Int, body: Data)? {
    let begin = ContinuousClock.now
    var answer: (status: Int, body: Data)?
    for attempt in 0...(write == nil ? 0 : repetitions) {
      if attempt > 0 {
        tally.note { $0.repeated += 1 }
        try? await Task.sleep(for: .milliseconds(100))
      }
      if Task.isCancelled { break }
      answer = await ask(urls[attempt % urls.count], method, path, body)
      if let answer, answer.status != 503, answer.status != 504 { break }
    }
    tally.end(answer?.status, since: begin, write: write)
    return answer
  }

  private func ask(
    _ url: String, _ method: String, _ path: String, _ body: (some Encodable)?
  ) async -> (status: Int, body: Data)? {
    var request = HTTPClientRequest(url: url + path)
    request.method = .init(rawValue: method)
    if let body { request.body = .bytes((try? JSONEncoder().encode(body)) ?? Data()) }
    do {
      let response = try await http.execute(request, timeout: .seconds(30))
      let data = Data(try await response.body.collect(upTo: 1 << 20).readableBytesView)
      let status = Int(response.status.code)
      tally.answer(status)
      if status == 503, response.headers["retry-after"].isEmpty { tally.note { $0.withoutRetryAfter += 1 } }
      return (status, data)
    } catch {
      tally.note { if Task.isCancelled { $0.hungUp += 1 } else { $0.broken += 1 } }
      return nil
    }
  }

  /// A client that asks another server first.
  func beginning(at first: Int) -> BankClient {
    let first = first % urls.count
    return BankClient(
      urls: Array(urls[first...] + urls[..<first]), http: http, tally: tally, repetitions: repetitions)
  }

  func get(_ path: String) async -> (status: Int, body: Data)? { await send("GET", path, String?.none) }

  func text(_ path: String) async throws -> String {
    let response = try await http.execute(HTTPClientRequest(url: urls[0] + path), timeout: .seconds(10))
    return String(decoding: try await response.body.collect(upTo: 1 << 20).readableBytesView, as: UTF8.self)
  }

  func transfer(_ from: String, _ to: String, _ amount: Int) async -> Int? {
    let transfer = Transfer(id: UUID().uuidString, from: from, to: to, amount: amount)
    return await send("POST", "/transfers", transfer, write: transfer.id)?.status
  }

  /// Adds, updates or deletes a note.
  func change(_ method: String, note: String, of account: String, to text: String) async -> Bool {
    let path = "/accounts/\(account)/notes" + (method == "POST" ? "" : "/\(note)")
    let id = UUID().uuidString
    let body = ["request": id, "id": note, "text": text]
    guard let answer = await send(method, path, body, write: id) else { return false }
    return answer.status < 300
  }
}
