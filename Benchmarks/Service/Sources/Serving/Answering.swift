import Foundation
import Hummingbird

/// Runs a handler that is cancelled when its client leaves, and turns its errors into answers.
///
/// Hummingbird cancels no handler by itself: without `consumeWithCancellationOnInboundClose`, the request of a client that has
/// gone keeps its place in the line, and its turn, for nobody.
func answer(
  _ request: Request, _ context: BasicRequestContext, _ handler: @escaping @Sendable (RequestBody) async throws -> Response
) async throws -> Response {
  do { return try await request.body.consumeWithCancellationOnInboundClose(handler) } catch {
    return try Refusal(error).response(context)
  }
}

extension RequestBody {
  func decoded<Value: Decodable>(as type: Value.Type) async throws -> Value {
    let buffer = try await collect(upTo: 1 << 16)
    do { return try JSONDecoder().decode(type, from: Data(buffer.readableBytesView)) } catch { throw HTTPError(.badRequest) }
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
