import Foundation
import Hummingbird
import Logging
import Metrics
import NIOCore
import NIOExtras
import NIOHTTPTypes
import Synchronization

/// The connections of one port: so many at a time, and what is done for each until it ends.
///
/// Without a limit, connections that say nothing take all descriptors, and no one is answered any more.
package final class Crowd: Sendable {
  /// What becomes of a connection for which there is no room.
  package enum WhenFull: Sendable {
    /// It is answered 503, and ended.
    case refuse
    /// It is let in, and the one that has been there longest is ended, of those without a request if there are any.
    case endOldest
  }

  private struct Member {
    let channel: any Channel
    let number: UInt64
    var requests = 0
    var work: Work?
  }

  fileprivate struct Work { let cancel: @Sendable () -> Void }

  private struct State {
    var members: [ObjectIdentifier: Member] = [:]
    var entered: UInt64 = 0
    /// Since the last line of the log.
    var refused = 0
    var loggedAt: ContinuousClock.Instant?
  }

  package let limit: Int
  /// How long a client may take nothing of its answer.
  let patience: Duration
  /// How long it may read when the process is to end.
  let leaving: Duration
  private let whenFull: WhenFull
  private let logger: Logger
  private let refusals: Counter
  private let state = Mutex(State())

  package init(
    _ name: String, atMost limit: Int, whenFull: WhenFull = .refuse, patience: Duration, leaving: Duration,
    logger: Logger
  ) {
    (self.limit, self.whenFull, self.logger) = (limit, whenFull, logger)
    (self.patience, self.leaving) = (patience, leaving)
    refusals = Counter(label: "connections_refused", dimensions: [("port", name)])
  }

  /// How many there can be: as many as wanted, or as there are descriptors for, less those that the service needs for itself.
  package static func room(for wanted: Int, reserving reserved: Int) -> Int {
    var descriptors = rlimit()
    let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    getrlimit(kind, &descriptors)
    descriptors.rlim_cur = descriptors.rlim_max
    setrlimit(kind, &descriptors)
    return max(1, min(wanted, Int(clamping: descriptors.rlim_cur) - reserved))
  }

  package var count: Int { state.withLock { $0.members.count } }

  func handler() -> any RemovableChannelHandler { Door(self) }

  /// Runs work, which is cancelled when the client has left.
  ///
  /// Hummingbird cancels no handler by itself: the request of a client that has left would keep its place in the line, and its
  /// turn. Its `consumeWithCancellationOnInboundClose` takes a client that has only ended its sending side for one that has left.
  func whileConnected<Value: Sendable>(
    _ channel: any Channel, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = Task { try await body() }
    let isThere = state.withLock { state in
      state.members[ObjectIdentifier(channel)]?.work = Work { task.cancel() }
      return state.members[ObjectIdentifier(channel)] != nil
    }
    if !isThere { task.cancel() }
    defer { state.withLock { $0.members[ObjectIdentifier(channel)]?.work = nil } }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}

// MARK: - Coming and going

extension Crowd {
  /// Returns whether there is room.
  fileprivate func enter(_ channel: any Channel) -> Bool {
    let (hasRoom, ended) = state.withLock { state -> (Bool, Member?) in
      var ended: Member?
      if state.members.count >= limit {
        if whenFull == .refuse { return (false, nil) }
        let oldest = state.members.min { ($0.value.requests, $0.value.number) < ($1.value.requests, $1.value.number) }
        ended = oldest.flatMap { state.members.removeValue(forKey: $0.key) }
      }
      state.entered += 1
      state.members[ObjectIdentifier(channel)] = Member(channel: channel, number: state.entered)
      return (true, ended)
    }
    ended?.work?.cancel()
    ended?.channel.close(promise: nil)
    if !hasRoom { refuse() }
    return hasRoom
  }

  /// Counts each, and logs once a second how many there were.
  private func refuse() {
    refusals.increment()
    let now = ContinuousClock.now
    let count = state.withLock { state -> Int? in
      state.refused += 1
      if let last = state.loggedAt, now < last + .seconds(1) { return nil }
      state.loggedAt = now
      return exchange(&state.refused, with: 0)
    }
    if let count { logger.warning("no room for \(count) connections more than \(limit)") }
  }

  fileprivate func leave(_ channel: any Channel) {
    state.withLock { $0.members.removeValue(forKey: ObjectIdentifier(channel)) }?.work?.cancel()
  }

  fileprivate func note(_ requests: Int, of channel: any Channel) {
    state.withLock { $0.members[ObjectIdentifier(channel)]?.requests = requests }
  }
}

/// The handler of one connection.
private final class Door: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let crowd: Crowd
  private var hasRoom = true
  /// Requests whose answers have not begun.
  private var unanswered = 0 { didSet { if let channel { crowd.note(unanswered, of: channel) } } }
  private var isAnswering = false
  /// Whether the newest request has been read to its end.
  private var isWhole = true
  /// Whether the client sends nothing more; it may have left, or wait for its answers.
  private var hasFinished = false
  private var channel: (any Channel)?
  /// Ends a connection whose client takes nothing of its answer.
  private var ending: Scheduled<Void>?
  /// Ends one whose client sends a request too slowly.
  private var reading: Scheduled<Void>?

  init(_ crowd: Crowd) { self.crowd = crowd }

  func handlerAdded(context: ChannelHandlerContext) {
    channel = context.channel
    // What is written waits in the handler of the request, which knows how much it is, and neither here nor in the system.
    let options = context.channel.syncOptions
    try? options?.setOption(.writeBufferWaterMark, value: .init(low: 1 << 12, high: 1 << 13))
    try? options?.setOption(.socketOption(.so_sndbuf), value: 1 << 16)
    hasRoom = crowd.enter(context.channel)
    if context.channel.isActive { begin(context) }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    for late in [ending, reading] { late?.cancel() }
    crowd.leave(context.channel)
  }

  func channelActive(context: ChannelHandlerContext) {
    context.fireChannelActive()
    begin(context)
  }

  private func begin(_ context: ChannelHandlerContext) {
    if hasRoom { return }
    let fields: HTTPFields = [.retryAfter: "1", .connection: "close", .contentLength: "0"]
    context.write(wrapOutboundOut(.head(HTTPResponse(status: .serviceUnavailable, headerFields: fields))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    context.close(promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      (unanswered, isWhole) = (unanswered + 1, false)
      // Also a body that no handler reads, and later than one is answered whose handler waits for it.
      let channel = context.channel
      reading = context.eventLoop.scheduleTask(in: TimeAmount(crowd.patience + .seconds(1))) {
        channel.close(promise: nil)
      }
      if head.headerFields[.expect]?.lowercased() == "100-continue", unanswered == 1 { sayContinue(context) }
    case .body: break
    case .end:
      isWhole = true
      reading.take()?.cancel()
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let part = unwrapOutboundIn(data)
    if case .head = part { (unanswered, isAnswering) = (max(0, unanswered - 1), true) }
    context.write(data, promise: promise)
    guard case .end = part else { return }
    isAnswering = false
    if hasFinished, isWhole { sayContinue(context) }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .inputClosed, !hasFinished {
      hasFinished = true
      if isWhole { sayContinue(context) }
    }
    if event is ChannelShouldQuiesceEvent {
      let (door, channel) = (NIOLoopBound(self, eventLoop: context.eventLoop), context.channel)
      context.eventLoop.scheduleTask(in: TimeAmount(crowd.leaving)) {
        if door.value.isAnswering || !channel.isWritable { channel.close(promise: nil) }
      }
    }
    context.fireUserInboundEventTriggered(event)
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    // What is not read any more is no sign of a client that leaves.
    if mode == .input { isWhole = false }
    context.close(mode: mode, promise: promise)
  }

  /// Sends an answer of which more will come, as HTTP allows at any time; a client that has left resets the connection then.
  private func sayContinue(_ context: ChannelHandlerContext) {
    if unanswered == 0 || isAnswering { return }
    context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    watch(context)
    context.fireChannelWritabilityChanged()
  }

  /// Ends the connection when the client has taken nothing for too long.
  private func watch(_ context: ChannelHandlerContext) {
    ending.take()?.cancel()
    if context.channel.isWritable { return }
    let channel = context.channel
    ending = context.eventLoop.scheduleTask(in: TimeAmount(crowd.patience)) { channel.close(promise: nil) }
  }
}
