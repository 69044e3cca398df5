import Foundation

/// A connection to the service, on which a test sends bytes as they are.
final class RawConnection {
  private let socket: Int32

  /// Connects; so much may arrive before it is read.
  init(_ port: Int, receiving room: Int32? = nil) throws {
    socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var (address, limit) = (sockaddr_in(), timeval(tv_sec: 20, tv_usec: 0))
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    if var room { setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &room, socklen_t(MemoryLayout<Int32>.size)) }
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if status != 0 { throw CocoaError(.fileReadUnknown) }
  }

  /// Sends the text; returns whether the connection took it.
  @discardableResult
  func send(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return Foundation.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  /// Sends nothing more.
  func finish() { shutdown(socket, Int32(SHUT_WR)) }

  /// Returns what arrives until the server ends the connection, or has sent the head of so many answers.
  func receive(answers: Int = .max) -> (text: String, hasEnded: Bool) {
    var (text, buffer) = ("", [UInt8](repeating: 0, count: 4_096))
    while text.components(separatedBy: "\r\n\r\n").count <= answers {
      let count = recv(socket, &buffer, buffer.count, 0)
      // Not if it was silent for too long.
      if count <= 0 { return (text, count == 0 || errno == ECONNRESET) }
      text += String(decoding: buffer[..<count], as: UTF8.self)
    }
    return (text, false)
  }

  /// Takes so many bytes at most; returns how many, or none if the server has ended the connection.
  func take(_ most: Int) -> Int {
    var buffer = [UInt8](repeating: 0, count: most)
    return max(0, recv(socket, &buffer, most, 0))
  }

  deinit { close(socket) }
}
