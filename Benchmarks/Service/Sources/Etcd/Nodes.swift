import CoalescingTasks
import GRPCCore
import Metrics
import Synchronization

/// The nodes of a cluster, of which one is asked at a time.
///
/// What that one does not answer in time, the next one is asked. A slow answer moves nothing as long as others arrive.
final class Nodes: Sendable {
  /// What a call needs to ask a node.
  struct Line: Sendable {
    let index: Int
    let endpoint: Endpoint
    let client: Endpoint.Client
    let token: String?
    var metadata: Metadata { token.map { ["token": "\($0)"] } ?? [:] }
  }

  private let endpoints: [Endpoint]
  private let network: EtcdCluster.Network?
  private let current = Atomic(0)
  /// How long one node is given for an answer.
  let attempt: Duration
  private let metrics: any MetricsFactory

  init(_ cluster: EtcdCluster, attempt: Duration, _ metrics: any MetricsFactory) {
    endpoints = cluster.addresses.map { Endpoint(cluster, $0) }
    network = cluster.network
    (self.attempt, self.metrics) = (attempt, metrics)
  }

  /// Returns the node that is asked now.
  func line(_ tokens: RenewingValue<String>?) async throws -> Line {
    let index = current.load(ordering: .relaxed)
    let endpoint = endpoints[index]
    return Line(index: index, endpoint: endpoint, client: try endpoint.client(), token: try await tokens?.value())
  }

  /// Notes that this node did not answer; others may have moved on already.
  func leave(_ line: Line) {
    _ = current.compareExchange(
      expected: line.index, desired: (line.index + 1) % endpoints.count, ordering: .relaxed)
  }

  func close() { for endpoint in endpoints { endpoint.close() } }
}

// MARK: - Asking

extension Nodes {
  /// An answer, how often the cluster may have been asked for it, and since when the one that answered has been asked.
  struct Asked<Answer: Sendable>: Sendable {
    let answer: Answer
    let times: Int
    let since: ContinuousClock.Instant
  }

  /// Asks node after node until one answers or the time is over.
  func ask<Answer: Sendable>(
    _ call: String, within limit: Duration, _ tokens: RenewingValue<String>?,
    _ body: @escaping @Sendable (Line, CallOptions) async throws -> Answer
  ) async throws -> Asked<Answer> {
    let end = ContinuousClock.now + limit
    var (times, last, pause, hasNewToken) = (0, "it was not asked", Duration.milliseconds(10), false)
    var mayBeDone = false
    repeat {
      let line: Line
      do { line = try await self.line(tokens) } catch { throw EtcdError(error, call, mayBeDone) ?? error }
      let begin = ContinuousClock.now
      var options = CallOptions.defaults
      options.timeout = max(.milliseconds(1), min(attempt, end - begin))
      Counter(label: "etcd_requests", dimensions: [("call", call)], factory: metrics).increment()
      times += 1
      do {
        let answer = try await send(call) { [options] in try await body(line, options) }
        line.endpoint.answered(line.client)
        return Asked(answer: answer, times: times, since: begin)
      } catch {
        if Task.isCancelled { throw CancellationError() }
        last = "\(error)"
        switch Fault(error) {
        case .refusal(let message): throw EtcdError.refused(call: call, message: message, mayBeDone: mayBeDone)
        case .oldToken(let message):
          guard let tokens, let token = line.token, !hasNewToken else {
            throw EtcdError.refused(call: call, message: message, mayBeDone: mayBeDone)
          }
          do { _ = try await tokens.value(insteadOf: token) } catch { throw EtcdError(error, call, mayBeDone) ?? error }
          hasNewToken = true
          continue
        case .silence:
          if line.endpoint.isSilent(line.client, since: begin, limit: attempt) { leave(line) }
        case .passing: leave(line)
        }
        mayBeDone = true
      }
      // A node that is down answers at once: the others are asked without a pause.
      if times >= endpoints.count {
        try await Task.sleep(for: min(pause * Double.random(in: 0.5...1), max(.zero, end - .now)))
        pause = min(pause * 2, .milliseconds(500))
      }
    } while ContinuousClock.now < end
    throw EtcdError.unavailable(call: call, last: last)
  }
}

extension Nodes {
  private func send<Answer: Sendable>(
    _ call: String, _ send: @escaping @Sendable () async throws -> Answer
  ) async throws -> Answer {
    guard let network else { return try await send() }
    return try await network(call) { try await send() } as! Answer
  }
}

extension EtcdError {
  /// What a call throws that cannot be asked: the user is refused, or a file of a certificate cannot be read.
  fileprivate init?(_ error: any Error, _ call: String, _ mayBeDone: Bool) {
    switch error {
    case is CancellationError, is JobRejection: return nil
    case EtcdError.refused(let call, let message, _):
      self = .refused(call: call, message: message, mayBeDone: mayBeDone)
    case let error as EtcdError: self = error
    default: self = .refused(call: call, message: "there can be no connection: \(error)", mayBeDone: mayBeDone)
    }
  }
}

/// Why a node did not do what it was asked for.
private enum Fault {
  /// It has refused, and so will the others.
  case refusal(String)
  case oldToken(String)
  /// Nothing was heard.
  case silence
  /// Another node, or this one a moment later, may do it.
  case passing

  init(_ error: any Error) {
    guard let error = error as? RPCError else {
      // Also a client that was replaced meanwhile.
      self = .passing
      return
    }
    switch error.code {
    case .unauthenticated: self = .oldToken(error.message)
    case .invalidArgument where error.message.contains("revision of auth store is old"): self = .oldToken(error.message)
    case .invalidArgument, .notFound, .alreadyExists, .permissionDenied, .failedPrecondition, .outOfRange,
      .unimplemented:
      self = .refusal(error.message)
    // An alarm of the whole cluster.
    case .resourceExhausted where error.message.contains("database space exceeded"): self = .refusal(error.message)
    case .deadlineExceeded: self = .silence
    default: self = .passing
    }
  }
}
