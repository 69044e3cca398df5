import CoalescingTasks
import GRPCCore
import Synchronization

/// The watches of this process, all on one stream of one node.
///
/// If the stream ends, all watches go on at another node, from where they began, so nothing is missed. A node that is silent is
/// left: while there are watches, it is asked for a sign of life now and then, once for all of them.
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
    /// Whether the node has made it, on the stream that there is.
    var isMade = false
    var wasRefused = false

    mutating func begin() { (isMade, wasRefused) = (true, false) }
  }

  private struct State {
    var watches: [Int64: Watch] = [:]
    var last: Int64 = 0
    var isRunning = false
    /// What the node is sent.
    var requests: AsyncStream<Etcdserverpb_WatchRequest>.Continuation?
    var idleSince: ContinuousClock.Instant?
  }

  private let places: Places
  private let nodes: Nodes
  private let tokens: RenewingValue<String>?
  private let state = Mutex(State())

  init(_ client: EtcdClient) {
    places = client.places
    nodes = client.keys
    tokens = client.tokens
  }

  /// How many watches there are.
  var count: Int { state.withLock { $0.watches.count } }
}

// MARK: - Watching

extension Watcher {
  /// Waits until the key was deleted at this revision or later, unless this session is over.
  func deletion(of key: String, from revision: Int64, under session: Session) async throws -> Signal {
    try await first(under: session) { ($0.key, $0.startRevision, $0.filters) = (key.bytes, revision, [.noput]) }
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

  private func first(
    under session: Session? = nil, _ populate: (inout Etcdserverpb_WatchCreateRequest) -> Void
  ) async throws -> Signal {
    let (signals, continuation) = AsyncStream.makeStream(of: Signal.self, bufferingPolicy: .bufferingOldest(1))
    var create = Etcdserverpb_WatchCreateRequest()
    populate(&create)
    let id = begin(create, continuation)
    defer { end(id) }
    // One that has ended before there was this watch wakes it no more.
    if session?.isOver == true { return .lookAgain }
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
  /// A watch was refused: the node knows the stream by the token that it began with.
  private struct OldToken: Error {}

  /// Opens stream after stream, until there has been no watch for a while.
  private func run() async {
    var pause = Duration.milliseconds(20)
    while true {
      let began = ContinuousClock.now
      do { try await stream() } catch EtcdError.ended { wakeAll() } catch {}
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
      for id in state.watches.keys { state.watches[id]!.isMade = false }
      return Array(state.watches.values)
    }
    for watch in watches { continuation.yield(watch.request) }
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await self.exchange(line, requests) }
        group.addTask { try await self.askForLife(line) }
        defer { group.cancelAll() }
        try await group.next()
      }
    } catch is OldToken {
      if let token = line.token { _ = try await tokens?.value(insteadOf: token) }
    } catch {
      nodes.leave(line)
      throw error
    }
  }

  private func exchange(_ line: Nodes.Line, _ requests: AsyncStream<Etcdserverpb_WatchRequest>) async throws {
    var metadata = line.metadata
    // A node without its leader hears nothing, and ends the stream.
    metadata.addString("true", forKey: "hasleader")
    try await line.client.stream(.watch, metadata: metadata) { writer in
      for await request in requests { try await writer.write(request) }
    } _: { response in
      for try await answer in response.messages { try self.receive(answer, line) }
    }
  }

  /// Throws if the node is silent; returns if there has been no watch for a while.
  ///
  /// It is asked for a key on the same connection, and not for the progress of the stream: nodes since 3.4.25 and 3.5.8 say nothing
  /// of that while there is no watch, or one that waits for a revision to come.
  private func askForLife(_ line: Nodes.Line) async throws {
    let request = Etcdserverpb_RangeRequest.with {
      ($0.key, $0.serializable, $0.countOnly) = (places.root.bytes, true, true)
    }
    var options = CallOptions.defaults
    options.timeout = nodes.attempt
    while true {
      let asked = ContinuousClock.now
      do {
        _ = try await line.client.ask(.range, request, metadata: line.metadata, options: options)
        line.endpoint.answered(line.client)
      } catch let error as RPCError where error.code == .deadlineExceeded {
        if line.endpoint.isSilent(line.client, since: asked, limit: nodes.attempt) { throw error }
      } catch let error as RPCError where error.code != .unavailable {
        // A refusal is a sign of life.
      }
      try await Task.sleep(for: nodes.attempt)
      if let idle = state.withLock({ $0.idleSince }), idle + nodes.attempt * 5 < .now { return }
    }
  }

  private func receive(_ answer: Etcdserverpb_WatchResponse, _ line: Nodes.Line) throws {
    line.endpoint.answered(line.client)
    if answer.created, answer.canceled { return try refuse(answer.cancelReason) }
    let (signals, requests) = state.withLock { state in
      let watch = state.watches[answer.watchID]
      if answer.created { state.watches[answer.watchID]?.begin() }
      if answer.canceled { state.watches[answer.watchID] = nil }
      return (watch?.signals, state.requests)
    }
    guard let signals else {
      // It was ended before this stream knew of it.
      if answer.created { requests?.yield(.cancel(answer.watchID)) }
      return
    }
    if answer.canceled {
      signals.yield(answer.compactRevision > 0 ? .lookAgain : .refused(answer.cancelReason))
    } else if !answer.events.isEmpty {
      signals.yield(.happened)
    }
  }

  /// Tells the watches that are refused; first, each is tried once more, on a stream with a new token.
  ///
  /// The node does not say which watch it has refused: it is one of those that it has not made.
  private func refuse(_ reason: String) throws {
    let (told, isOver) = state.withLock { state in
      let refused = state.watches.filter { !$0.value.isMade }
      let told = refused.filter(\.value.wasRefused)
      for id in refused.keys { state.watches[id]!.wasRefused = true }
      for id in told.keys { state.watches[id] = nil }
      return (told.values.map(\.signals), told.count < refused.count)
    }
    for signals in told { signals.yield(.refused(reason)) }
    if isOver { throw OldToken() }
  }
}

extension Etcdserverpb_WatchRequest {
  fileprivate static func cancel(_ id: Int64) -> Self { .with { $0.cancelRequest = .with { $0.watchID = id } } }
}
