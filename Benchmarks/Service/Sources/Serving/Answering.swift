import Foundation
import Hummingbird
import NIOCore

/// What a handler knows of its request.
package struct BankRequestContext: RequestContext {
  package var coreContext: CoreRequestContextStorage
  private let channel: any Channel

  package init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }

  /// Reads no more of a body that is too large, or comes too slowly.
  func stopReading() { channel.close(mode: .input, promise: nil) }
}

/// Runs a handler, and turns its errors into answers.
func answer(
  _ context: BankRequestContext, _ handler: () async throws -> Response
) async -> Response {
  do { return try await handler() } catch {
    var response = Refusal(error).response(context)
    if [.contentTooLarge, .requestTimeout].contains(response.status) {
      context.stopReading()
      response.body = response.body.last()
    }
    return response
  }
}

/// Runs a handler that is cancelled when its client leaves, and turns its errors into answers.
///
/// Hummingbird cancels no handler by itself: without `consumeWithCancellationOnInboundClose`, the request of a client that has
/// left keeps its place in the line, and its turn.
///
/// With it, Hummingbird ends the connection after the answer. The answer says so. Otherwise a client that keeps connections would
/// send its next request on this one, get no answer, and not know whether its write was done.
func answerWhileConnected<Sent: Decodable & Sendable>(
  _ request: Request, _ context: BankRequestContext, sent type: Sent.Type, within limit: Duration,
  _ handler: @escaping @Sendable (Sent) async throws -> Response
) async throws -> Response {
  var response = await answer(context) {
    // Before that: whatever is wrong with the body, nothing has begun.
    let sent = try await request.body.decoded(as: type, within: limit)
    var request = request
    request.body = RequestBody(buffer: ByteBuffer())
    return try await request.body.consumeWithCancellationOnInboundClose { _ in try await handler(sent) }
  }
  response.headers[.connection] = "close"
  return response
}

extension RequestBody {
  /// Nothing has begun as long as this has not returned.
  func decoded<Value: Decodable>(as type: Value.Type, within limit: Duration) async throws -> Value {
    let buffer: ByteBuffer?
    do {
      buffer = try await withThrowingTaskGroup(of: ByteBuffer?.self) { group in
        group.addTask { try await collect(upTo: 1 << 16) }
        group.addTask {
          try await Task.sleep(for: limit)
          return nil
        }
        defer { group.cancelAll() }
        return try await group.next()!
      }
    } catch is NIOTooManyBytesError {
      throw HTTPError(.contentTooLarge, message: "A body has at most 65536 bytes.")
    } catch { throw HTTPError(.badRequest, message: "The body did not arrive whole.") }
    guard let buffer else { throw HTTPError(.requestTimeout, message: "The body did not arrive in time.") }
    let data = Data(buffer.readableBytesView)
    do { return try JSONDecoder().decode(type, from: data) } catch {
      throw HTTPError(.badRequest, message: "The body is no JSON of a \(type).")
    }
  }
}

extension ResponseBody {
  private struct IsLast: Error {}

  /// Ends the connection behind the answer: Hummingbird would take a body that is not read to its end for a broken request, and
  /// answer that, too.
  fileprivate func last() -> ResponseBody {
    ResponseBody(contentLength: contentLength) { writer in
      try await write(writer)
      throw IsLast()
    }
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
