import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// Asks servers over HTTP/1.1 without TLS: each request once, on a connection that is kept for the next one.
///
/// A request that is cancelled or late ends its connection.
package final class HTTPClient: Sendable {
  package struct Answer: Sendable {
    package let status: Int
    package let body: Data
    fileprivate let fields: HTTPHeaders

    package var text: String { String(decoding: body, as: UTF8.self) }

    package func header(_ name: String) -> [String] { fields[name] }
  }

  /// Connections without a request, by the server's address.
  private let idle = Mutex<[String: [any Channel]]>([:])

  package init() {}

  deinit { for channel in idle.withLock({ Array($0.values.joined()) }) { channel.close(promise: nil) } }

  package func ask(
    _ url: String, _ method: String = "GET", _ body: Data? = nil, within limit: Duration = .seconds(30)
  ) async throws -> Answer {
    guard let url = URLComponents(string: url), let host = url.host, let port = url.port else {
      throw URLError(.badURL)
    }
    let path = url.percentEncodedPath + (url.percentEncodedQuery.map { "?\($0)" } ?? "")
    let address = "\(host):\(port)"
    var head = HTTPRequestHead(version: .http1_1, method: .init(rawValue: method), uri: path)
    head.headers = ["host": address, "content-length": "\(body?.count ?? 0)"]
    let channel = try await connection(address, host, port)
    let answer = channel.eventLoop.makePromise(of: NIOHTTPClientResponseFull.self)
    let late = channel.eventLoop.scheduleTask(in: TimeAmount(limit)) { channel.close(promise: nil) }
    defer { late.cancel() }
    let full = try await withTaskCancellationHandler {
      channel.writeAndFlush(Question(head: head, body: body, answer: answer)).cascadeFailure(to: answer)
      return try await answer.futureResult.get()
    } onCancel: {
      channel.close(promise: nil)
    }
    if full.head.isKeepAlive { idle.withLock { $0[address, default: []].append(channel) } }
    return Answer(
      status: Int(full.head.status.code), body: full.body.map { Data($0.readableBytesView) } ?? Data(),
      fields: full.head.headers)
  }

  private func connection(_ address: String, _ host: String, _ port: Int) async throws -> any Channel {
    while let channel = idle.withLock({ $0[address]?.popLast() }) { if channel.isActive { return channel } }
    return try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .connectTimeout(.seconds(5))
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          try pipeline.addHTTPClientHandlers()
          try pipeline.addHandlers(NIOHTTPClientResponseAggregator(maxContentLength: 1 << 20), Exchange())
        }
      }.connect(host: host, port: port).get()
  }
}

/// What is sent on a connection.
private struct Question {
  let head: HTTPRequestHead
  let body: Data?
  let answer: EventLoopPromise<NIOHTTPClientResponseFull>
}

/// One question and its answer at a time.
private final class Exchange: ChannelDuplexHandler {
  typealias InboundIn = NIOHTTPClientResponseFull
  typealias OutboundIn = Question
  typealias OutboundOut = HTTPClientRequestPart

  private var answer: EventLoopPromise<NIOHTTPClientResponseFull>?

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let question = unwrapOutboundIn(data)
    answer = question.answer
    context.write(wrapOutboundOut(.head(question.head)), promise: nil)
    if let body = question.body {
      context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
    }
    context.write(wrapOutboundOut(.end(nil)), promise: promise)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { answer.take()?.succeed(unwrapInboundIn(data)) }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    answer.take()?.fail(error)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    answer.take()?.fail(ChannelError.eof)
    context.fireChannelInactive()
  }
}
