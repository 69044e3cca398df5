import Foundation
import Hummingbird
import NIOCore
import NIOHTTPTypes
import Synchronization

/// So many connections at a time; others are answered 503, and ended.
///
/// Without a limit, connections that say nothing take all descriptors, and no one is answered any more.
package final class Crowd: Sendable {
  package let limit: Int
  fileprivate let connections = Atomic(0)

  /// Lets in as many as wanted, or as there are descriptors for, less those that the service needs for itself.
  package init(atMost wanted: Int, reserving reserved: Int) {
    var descriptors = rlimit()
    let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    getrlimit(kind, &descriptors)
    descriptors.rlim_cur = descriptors.rlim_max
    setrlimit(kind, &descriptors)
    limit = max(1, min(wanted, Int(clamping: descriptors.rlim_cur) - reserved))
  }

  func handler() -> any RemovableChannelHandler { Member(self) }
}

/// One of them.
private final class Member: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundOut = HTTPResponsePart

  private let crowd: Crowd
  private var hasRoom = true

  init(_ crowd: Crowd) { self.crowd = crowd }

  func handlerAdded(context: ChannelHandlerContext) {
    hasRoom = crowd.connections.wrappingAdd(1, ordering: .relaxed).newValue <= crowd.limit
    if context.channel.isActive { begin(context) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { crowd.connections.wrappingSubtract(1, ordering: .relaxed) }

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
}
