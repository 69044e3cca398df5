import Foundation
import Hummingbird
import NIOCore
import Synchronization

/// What answers hold that their clients have not read yet, in bytes of all of them: a client that asks and does not read costs memory.
///
/// An answer may take a sixteenth of what is left. So there is room for small ones when there is none for large ones any more.
package final class Answers: Sendable {
  private let limit: Int
  private let held = Atomic(0)

  package init(atMost limit: Int) { self.limit = limit }

  package var bytes: Int { held.load(ordering: .relaxed) }

  /// What one answer holds, until its client has read it or left.
  private final class Share: Sendable {
    private let answers: Answers
    private let size: Int

    init(_ size: Int, of answers: Answers) { (self.answers, self.size) = (answers, size) }
    deinit { answers.held.wrappingSubtract(size, ordering: .relaxed) }
  }

  /// The value as JSON, sent piece by piece, as the client reads it.
  func json(_ value: some Encodable) throws -> Response {
    let bytes = ByteBuffer(bytes: try JSONEncoder().encode(value))
    let before = held.wrappingAdd(bytes.readableBytes, ordering: .relaxed).oldValue
    let share = Share(bytes.readableBytes, of: self)
    if bytes.readableBytes > (limit - before) / 16 { throw NoRoom() }
    let body = ResponseBody(contentLength: bytes.readableBytes) { writer in
      var rest = bytes
      while case let size = min(rest.readableBytes, 1 << 13), size > 0 {
        // A copy: a slice would keep all of it while that waits to be sent.
        try await writer.write(ByteBuffer(bytes: rest.readBytes(length: size)!))
      }
      withExtendedLifetime(share) {}
      try await writer.finish(nil)
    }
    return Response(status: .ok, headers: [.contentType: "application/json"], body: body)
  }

  struct NoRoom: Error {}
}
