import GRPCCore
import SerialTasks
import Synchronization

/// The watches of this process, all on one stream of one node.
///
/// If the stream ends, all watches go on at another node, from where they began, so nothing is missed. A node that is silent is
/// left: while there are watches, the stream, not each watch, is asked for a sign of life.
final class Watcher: Sendable {
  /// What a waiting call is told.
  enum Signal: Sendable {
    /// What was watched for has happened.
    case happened
    /// It may have happened: the history is gone.
    case lookAgain
    case refused(String)
  }

  private struct Watch {
    let request: Etcdserverpb_WatchRequest
    let signals: AsyncStream<Signal>.Continuation
  }

  private struct State {
    var watches: [Int64: Watch] = [:]
    var last: Int64 = 0
    var isRunning = false
    /// What the node is sent.
    var requests: AsyncStream<Etcdserverpb_WatchRequest>.Continuation?
    var lastHeard = ContinuousClock.now
    var idleSince: ContinuousClock.Instant?
  }

  private let nodes: Nodes
  private let tokens: RenewingValue<String>?
  private let state = Mutex(State())

  init(_ client: EtcdClient) {
    nodes = client.keys
    tokens = client.tokens
  }

  /// How many watches there are.
  var count: Int { state.withLock { $0.watches.count } }
}

// MARK: - Watching

extension Watcher {
  /// Waits until the key was deleted at this revision or later.
  func deletion(of key: String, from revision: Int64) async throws -> Signal {
    try await first { ($0.key, $0.startRevision, $0.filters) = (key.bytes, revision, [.noput]) }
  }

  /// Waits until a key under the prefix was put at this revision or later.
  func put(under prefix: String, from revision: Int64) async throws -> Signal {
    try await first {
      ($0.key, $0.rangeEnd) = (prefix.bytes, prefix.afterPrefix.bytes)
      ($0.startRevision, $0.filters) = (revision, [.nodelete])
    }
  }

  /// Tells all that wait to look again.
  func wakeAll() {
    for watch in state.withLock({ Array($0.watches.values) }) { watch.signals.yield(.lookAgain) }
  }

  private func first(_ populate: (inout Etcdserverpb_WatchCreateRequest) -> Void) async throws -> Signal {
    let (signals, continuation) = AsyncStream.makeStream(of: Signal.self, bufferingPolicy: .bufferingOldest(1))
    var create = Etcdserverpb_WatchCreateRequest()
    populate(&create)
    let id = begin(create, continuation)
    defer { end(id) }
    for await signal in signals { return signal }
    throw CancellationError()
  }

  private func begin(_ create: Etcdserverpb_WatchCreateRequest, _ signals: AsyncStream<Signal>.Continuation) -> Int64 {
    var create = create
    let (id, request, requests, mustRun) = state.withLock { state in
      state.last += 1
      create.watchID = state.last
      let request = Etcdserverpb_WatchRequest.with { $0.createRequest = create }
      state.watches[state.last] = Watch(request: request, signals: signals)
      state.idleSince = nil
      defer { state.isRunning = true }
      return (state.last, request, state.requests, !state.isRunning)
    }
    requests?.yield(request)
    if mustRun { Task { await run() } }
    return id
  }

  private func end(_ id: Int64) {
    let requests = state.withLock { state in
      let isKnown = state.watches.removeValue(forKey: id) != nil
      if state.watches.isEmpty { state.idleSince = .now }
      return isKnown ? state.requests : nil
    }
    requests?.yield(.cancel(id))
  }
}

// MARK: - The stream

extension Watcher {
  private struct Silent: Error {}

  /// Opens stream after stream, until there has been no watch for a while.
  private func run() async {
    var pause = Duration.milliseconds(20)
    while true {
      let began = ContinuousClock.now
      try? await stream()
      let isOver = state.withLock { state in
        state.requests = nil
        if state.watches.isEmpty { state.isRunning = false }
        return !state.isRunning
      }
      if isOver { return }
      if ContinuousClock.now - began > .seconds(1) { pause = .milliseconds(20) }
      try? await Task.sleep(for: pause * Double.random(in: 0.5...1))
      pause = min(pause * 2, .milliseconds(500))
    }
  }

  private func stream() async throws {
    let line = try await nodes.line(tokens)
    let (requests, continuation) = AsyncStream.makeStream(of: Etcdserverpb_WatchRequest.self)
    let watches = state.withLock { state in
      state.requests = continuation
      state.lastHeard = .now
      return Array(state.watches.values)
    }
    for watch in watches { continuation.yield(watch.request) }
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await self.exchange(line, requests) }
        group.addTask { try await self.askForLife(line, continuation) }
        defer { group.cancelAll() }
        try await group.next()
      }
    } catch {
      nodes.leave(line)
      throw error
    }
  }

  private func exchange(_ line: Nodes.Line, _ requests: AsyncStream<Etcdserverpb_WatchRequest>) async throws {
    var metadata = line.metadata
    // A node without its leader hears nothing, and ends the stream.
    metadata.addString("true", forKey: "hasleader")
    try await Etcdserverpb_Watch.Client(wrapping: line.client).watch(
      metadata: metadata,
      requestProducer: { writer in for await request in requests { try await writer.write(request) } },
      onResponse: { response in
        for try await answer in response.messages { try self.receive(answer, line) }
      })
  }

  /// Throws if the node is silent; returns if there has been no watch for a while.
  private func askForLife(
    _ line: Nodes.Line, _ requests: AsyncStream<Etcdserverpb_WatchRequest>.Continuation
  ) async throws {
    while true {
      let asked = ContinuousClock.now
      requests.yield(.with { $0.progressRequest = .init() })
      try await Task.sleep(for: nodes.attempt)
      let (heard, idle) = state.withLock { ($0.lastHeard, $0.idleSince) }
      if heard < asked {
        _ = line.endpoint.isSilent(line.client, since: asked, limit: nodes.attempt)
        throw Silent()
      }
      if let idle, idle + nodes.attempt * 5 < .now { return }
    }
  }

  private func receive(_ answer: Etcdserverpb_WatchResponse, _ line: Nodes.Line) throws {
    line.endpoint.answered(line.client)
    // What has no watch: a sign of life, or a watch that could not be made, and does not say which.
    if answer.watchID < 1 {
      state.withLock { $0.lastHeard = .now }
      if answer.canceled { throw RPCError(code: .unavailable, message: answer.cancelReason) }
      return
    }
    let (signals, requests) = state.withLock { state in
      state.lastHeard = .now
      let watch = state.watches[answer.watchID]
      if answer.canceled { state.watches[answer.watchID] = nil }
      return (watch?.signals, state.requests)
    }
    guard let signals else {
      // It was ended before this stream knew of it.
      if answer.created, !answer.canceled { requests?.yield(.cancel(answer.watchID)) }
      return
    }
    if answer.canceled {
      signals.yield(answer.compactRevision > 0 ? .lookAgain : .refused(answer.cancelReason))
    } else if !answer.events.isEmpty {
      signals.yield(.happened)
    }
  }
}

extension Etcdserverpb_WatchRequest {
  fileprivate static func cancel(_ id: Int64) -> Self { .with { $0.cancelRequest = .with { $0.watchID = id } } }
}
