import ArgumentParser
import Foundation

/// A file to be written at the end of a run, of which is known at its beginning that it can be.
struct OutputFile {
  let path: String
  private let handle: FileHandle

  /// Makes the file if there is none; what is in it stays there until ``write(_:)``.
  init(_ path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw ValidationError("cannot write to \(path): \(String(cString: strerror(errno)))")
    }
    self.path = path
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  func write(_ data: Data) throws {
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: data)
  }
}
