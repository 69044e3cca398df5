import Foundation
import Hummingbird

/// Runs a handler that is cancelled when its client leaves, and turns its errors into answers.
///
/// Hummingbird cancels no handler by itself: without `consumeWithCancellationOnInboundClose`, the request of a client that has
/// left keeps its place in the line, and its turn.
///
/// With it, Hummingbird ends the connection after the answer. The answer says so. Otherwise a client that keeps connections
/// would send its next request on this one, get no answer, and not know whether its write was done.
func answer(
  _ request: Request, _ context: BasicRequestContext,
  _ handler: @escaping @Sendable (RequestBody) async throws -> Response
) async throws -> Response {
  var response: Response
  do { response = try await request.body.consumeWithCancellationOnInboundClose(handler) } catch {
    response = Refusal(error).response(context)
  }
  response.headers[.connection] = "close"
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
