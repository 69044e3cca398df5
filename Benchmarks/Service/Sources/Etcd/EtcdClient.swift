import AsyncHTTPClient
import Foundation
import Synchronization

/// A client of a cluster's JSON gateways.
///
/// What one node does not answer in time, the next node is asked.
package struct EtcdClient: Sendable {
  private let endpoints: [String]
  private let http: HTTPClient
  private let first = Preferred()
  /// How long one node is given.
  private let patience: Duration = .milliseconds(700)

  private final class Preferred: Sendable { let index = Atomic(0) }

  /// - Parameter endpoints: `http://127.0.0.1:2379`, and so on. There must be at least one, or this initializer traps.
  package init(_ endpoints: [String]) {
    precondition(!endpoints.isEmpty, "a cluster has at least one address")
    self.endpoints = endpoints
    var configuration = HTTPClient.Configuration()
    // Each watch holds a connection, and a lease that waited for one would be lost.
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1_000
    configuration.timeout.connect = .milliseconds(300)
    http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  /// Returns the addresses of a list with commas; `nil` if there is none, or one of them is not an address.
  package static func endpoints(in list: String) -> [String]? {
    let found = list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let areAddresses = found.allSatisfy { address in
      guard let url = URL(string: address) else { return false }
      return ["http", "https"].contains(url.scheme) && url.host()?.isEmpty == false
    }
    return areAddresses ? found : nil
  }

  package func shutDown() async throws { try await http.shutdown() }
}

// MARK: - One answer

extension EtcdClient {
  /// Asks node after node until one answers or the time is over.
  func call<Answer: Decodable>(
    _ path: String, _ body: some Encodable, within limit: Duration, _ type: Answer.Type = Answer.self
  ) async throws -> Answer {
    let data = try JSONEncoder().encode(body)
    let end = ContinuousClock.now + limit
    var last: any Error = EtcdError.unavailable(path: path, last: "not asked")
    var pause = Duration.milliseconds(10)
    repeat {
      let index = first.index.load(ordering: .relaxed)
      do {
        return try JSONDecoder().decode(
          type, from: try await ask(index, path, data, within: min(patience, end - .now)))
      } catch let error as EtcdError { throw error } catch {
        if Task.isCancelled { throw CancellationError() }
        last = error
        // The others may have failed over already.
        _ = first.index.compareExchange(
          expected: index, desired: (index + 1) % endpoints.count, ordering: .relaxed)
        try await Task.sleep(for: min(pause, max(.zero, end - .now)))
        pause = min(pause * 2, .milliseconds(200))
      }
    } while ContinuousClock.now < end
    throw EtcdError.unavailable(path: path, last: "\(last)")
  }

  private func ask(_ index: Int, _ path: String, _ data: Data, within limit: Duration) async throws -> Data {
    let response = try await http.execute(request(index, path, data), timeout: .nanoseconds(limit.nanoseconds))
    let answer = Data(try await response.body.collect(upTo: 1 << 20).readableBytesView)
    if response.status == .ok { return answer }
    let fault = try? JSONDecoder().decode(Fault.self, from: answer)
    if let fault, !fault.isPassing { throw EtcdError.refused(path: path, message: fault.error) }
    throw Unanswered(status: response.status.code, message: fault?.error ?? "")
  }

  private func request(_ index: Int, _ path: String, _ data: Data) -> HTTPClientRequest {
    var request = HTTPClientRequest(url: endpoints[index] + path)
    request.method = .POST
    request.body = .bytes(data)
    return request
  }

  private struct Unanswered: Error {
    let status: UInt
    let message: String
  }

  private struct Fault: Decodable {
    var error: String
    var code: Int

    /// Whether another node, or this one a moment later, may do it: deadline exceeded, exhausted, internal, unavailable.
    var isPassing: Bool { [2, 4, 8, 13, 14].contains(code) }
  }
}

// MARK: - Answers that go on

extension EtcdClient {
  /// Returns when the key has been deleted, when the time is over, or when the node goes away: look again afterwards.
  func waitForDeletion(of key: String, from revision: UInt64, within limit: Duration) async throws {
    let create = WatchRequest.Create(key: key.base64, start_revision: "\(revision)")
    let data = try JSONEncoder().encode(WatchRequest(create_request: create))
    let index = first.index.load(ordering: .relaxed)
    do {
      let response = try await http.execute(
        request(index, "/v3/watch", data), timeout: .nanoseconds(limit.nanoseconds))
      var line = Data()
      for try await part in response.body {
        for byte in part.readableBytesView {
          guard byte == UInt8(ascii: "\n") else {
            line.append(byte)
            continue
          }
          let answer = try JSONDecoder().decode(Streamed<WatchAnswer>.self, from: line).result
          line.removeAll()
          if answer?.canceled == true || answer?.events?.isEmpty == false { return }
        }
      }
    } catch {
      if Task.isCancelled { throw CancellationError() }
    }
  }
}

extension Duration {
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return max(0, seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }
}
