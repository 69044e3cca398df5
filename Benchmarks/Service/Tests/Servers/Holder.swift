import Foundation

/// A process that takes a key and is killed.
package enum Holder {
  package static func holdAndDie(_ key: String, _ engine: [String]) throws -> UInt64 {
    let process = Process()
    let output = Pipe()
    // It stands beside the tests.
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: "holder")
    process.arguments = engine + [key]
    process.standardOutput = output
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    guard let number = UInt64(line.filter(\.isNumber)) else { throw CocoaError(.featureUnsupported) }
    return number
  }
}
