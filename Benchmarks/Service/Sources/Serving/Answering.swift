import Foundation
import Hummingbird

/// What a handler knows of its request.
package struct BankRequestContext: RequestContext {
  package var coreContext: CoreRequestContextStorage
  /// Whether the request has a connection of its own, which is HTTP/1, or is a stream of one, which is HTTP/2.
  let hasOwnConnection: Bool

  package init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    // Above a stream there is its connection, and above a connection the socket that listens.
    hasOwnConnection = source.channel.parent?.parent == nil
  }
}

/// Runs a handler, and turns its errors into answers.
func answer(
  _ context: BankRequestContext, _ handler: () async throws -> Response
) async -> Response {
  do { return try await handler() } catch { return Refusal(error).response(context) }
}

/// Runs a handler that is cancelled when its client leaves, and turns its errors into answers.
///
/// Hummingbird cancels no handler by itself: without `consumeWithCancellationOnInboundClose`, the request of a client that has
/// left keeps its place in the line, and its turn.
///
/// With it, Hummingbird ends an HTTP/1 connection after the answer. The answer says so. Otherwise a client that keeps
/// connections would send its next request on this one, get no answer, and not know whether its write was done. In HTTP/2, a
/// client leaves by ending its stream, and the connection goes on.
func answerWhileConnected(
  _ request: Request, _ context: BankRequestContext,
  _ handler: @escaping @Sendable (RequestBody) async throws -> Response
) async throws -> Response {
  var response = await answer(context) {
    try await request.body.consumeWithCancellationOnInboundClose(handler)
  }
  if context.hasOwnConnection { response.headers[.connection] = "close" }
  return response
}

extension RequestBody {
  func decoded<Value: Decodable>(as type: Value.Type) async throws -> Value {
    let buffer: ByteBuffer
    do { buffer = try await collect(upTo: 1 << 16) } catch {
      // The client left while it was sending, or sends without an end.
      throw CancellationError()
    }
    let data = Data(buffer.readableBytesView)
    do { return try JSONDecoder().decode(type, from: data) } catch { throw HTTPError(.badRequest) }
  }
}

extension Response {
  static func json(_ value: some Encodable) throws -> Response {
    Response(
      status: .ok, headers: [.contentType: "application/json"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: try JSONEncoder().encode(value))))
  }

  static func text(_ text: String) -> Response {
    Response(
      status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }
}
