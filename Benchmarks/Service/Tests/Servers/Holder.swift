import Foundation

/// A process that takes a key, and holds it until it is killed.
package struct Holder {
  private let process = Process()
  /// The number of its grant.
  package let number: UInt64

  /// Starts it; returns when it has the key, and asks for the other one.
  package init(_ key: String, _ engine: [String], asking other: String? = nil) throws {
    let output = Pipe()
    // It stands beside the tests.
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: "holder")
    process.arguments = engine + [key] + (other.map { [$0] } ?? [])
    process.standardOutput = output
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard let number = UInt64(line.filter(\.isNumber)) else { throw CocoaError(.featureUnsupported) }
    self.number = number
  }

  package func signal(_ number: Int32) { kill(process.processIdentifier, number) }

  package func end() {
    signal(SIGKILL)
    process.waitUntilExit()
  }

  package static func holdAndDie(_ key: String, _ engine: [String]) throws -> UInt64 {
    let holder = try Holder(key, engine)
    holder.end()
    return holder.number
  }
}
