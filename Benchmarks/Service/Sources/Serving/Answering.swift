import Foundation
import Hummingbird
import NIOCore
import ServiceLifecycle

/// What a handler knows of its request.
package struct BankRequestContext: RequestContext {
  package var coreContext: CoreRequestContextStorage
  let channel: any Channel

  package init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }

  /// Reads no more of a body that is too large, or comes too slowly.
  func stopReading() { channel.close(mode: .input, promise: nil) }
}

/// Runs a handler, which says what its job is, and turns its errors into answers.
func answer(
  _ context: BankRequestContext, _ handler: (_ job: inout String?) async throws -> Response
) async -> Response {
  var job: String?
  do { return try await handler(&job) } catch {
    var response = Refusal(error).response(context, job)
    if error is BodyError {
      context.stopReading()
      response.body = response.body.last()
    }
    return response
  }
}

/// Why no more of a body is read; nothing has begun.
enum BodyError: Error {
  case tooLarge, late
  /// The process is to end.
  case stopping
}

extension RequestBody {
  private static let longest = 1 << 16

  /// Nothing has begun as long as this has not returned.
  func decoded<Value: Decodable>(as type: Value.Type, within limit: Duration) async throws -> Value {
    let buffer: ByteBuffer
    do {
      buffer = try await withThrowingTaskGroup { group in
        group.addTask { try await collect(upTo: RequestBody.longest) }
        group.addTask {
          try await Task.sleep(for: limit)
          throw BodyError.late
        }
        group.addTask {
          try await gracefulShutdown()
          // What is on its way arrives.
          try await Task.sleep(for: .milliseconds(500))
          throw BodyError.stopping
        }
        defer { group.cancelAll() }
        return try await group.next()!
      }
    } catch is NIOTooManyBytesError {
      throw BodyError.tooLarge
    } catch let error as BodyError { throw error } catch {
      throw HTTPError(.badRequest, message: "The body did not arrive whole.")
    }
    let data = Data(buffer.readableBytesView)
    // To Foundation, 0.99999999999999999999 is a whole number.
    if data.hasFraction { throw HTTPError(.badRequest, message: "A number is whole, and has no exponent.") }
    do { return try JSONDecoder().decode(type, from: data) } catch {
      throw HTTPError(.badRequest, message: "The body is no JSON of a \(type).")
    }
  }
}

extension Data {
  /// Whether there is a number with a point or an exponent in this JSON.
  fileprivate var hasFraction: Bool {
    var (isText, isEscaped, last) = (false, false, UInt8(0))
    for byte in self {
      if isText {
        (isText, isEscaped) = (isEscaped || byte != UInt8(ascii: "\""), !isEscaped && byte == UInt8(ascii: "\\"))
      } else if byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e") && (48...57).contains(last) {
        return true
      } else {
        isText = byte == UInt8(ascii: "\"")
      }
      last = byte
    }
    return false
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
  static func text(_ text: String) -> Response {
    Response(
      status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }
}
