import AsyncHTTPClient
import Bank
import Foundation

/// Asks a server, and notes what it answers.
struct BankClient: Sendable {
  let url: String
  let http: HTTPClient
  let tally: Tally

  static func newHTTPClient() -> HTTPClient {
    var configuration = HTTPClient.Configuration()
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 2_000
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.httpVersion = .http1Only
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  /// Returns the status and the body; `nil` if there was no answer.
  @discardableResult
  func send(
    _ method: String, _ path: String, _ body: (some Encodable)?, write: String? = nil
  ) async -> (status: Int, body: Data)? {
    var request = HTTPClientRequest(url: url + path)
    request.method = .init(rawValue: method)
    if let body { request.body = .bytes((try? JSONEncoder().encode(body)) ?? Data()) }
    let begin = ContinuousClock.now
    do {
      let response = try await http.execute(request, timeout: .seconds(60))
      let data = Data(try await response.body.collect(upTo: 1 << 20).readableBytesView)
      let status = Int(response.status.code)
      tally.answer(status, since: begin, write: write)
      if status == 503, response.headers["retry-after"].isEmpty { tally.note { $0.withoutRetryAfter += 1 } }
      return (status, data)
    } catch {
      tally.note { if Task.isCancelled { $0.hungUp += 1 } else { $0.broken += 1 } }
      return nil
    }
  }

  func get(_ path: String) async -> (status: Int, body: Data)? { await send("GET", path, String?.none) }

  func text(_ path: String) async throws -> String {
    let response = try await http.execute(HTTPClientRequest(url: url + path), timeout: .seconds(10))
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
