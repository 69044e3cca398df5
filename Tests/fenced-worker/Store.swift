#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A store that many processes write to, as a fenced store has to be: it refuses a number lower than one it has seen.
///
/// It is a file of records for each key. A job reads the last record and writes one that counts on from it: two jobs at once
/// would write the same count.
package struct Store: Sendable {
  package struct Refused: Error {}

  package struct Record: Hashable, Sendable {
    package let count: Int
    package let number: UInt64
    package let job: String
  }

  private static let recordSize = 64
  private let folder: String

  package init(_ folder: String) { self.folder = folder }

  /// All records of the key, in the order in which they were written.
  package func records(of key: String) -> [Record] {
    open(key) { file in
      let size = Int(lseek(file, 0, SEEK_END))
      return stride(from: 0, to: size, by: Store.recordSize).map { Store.record(file, at: $0) }
    }
  }

  package func last(of key: String) -> Record? {
    open(key) { file in
      let size = Int(lseek(file, 0, SEEK_END))
      return size == 0 ? nil : Store.record(file, at: size - Store.recordSize)
    }
  }

  /// Appends a record, unless one with a higher number is there.
  package func write(_ record: Record, to key: String) throws {
    try open(key) { file in
      _ = flock(file, LOCK_EX)
      let size = Int(lseek(file, 0, SEEK_END))
      if size > 0, Store.record(file, at: size - Store.recordSize).number > record.number { throw Refused() }
      var text = Array("\(record.count) \(record.number) \(record.job)".utf8)
      text += [UInt8](repeating: UInt8(ascii: " "), count: Store.recordSize - text.count - 1) + [UInt8(ascii: "\n")]
      if text.withUnsafeBytes({ writeBytes(file, $0.baseAddress!, $0.count) }) != Store.recordSize {
        fatalError("the store cannot be written to")
      }
    }
  }

  private func open<Result>(_ key: String, _ body: (Int32) throws -> Result) rethrows -> Result {
    let file = openFile("\(folder)/\(key)", O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC)
    if file < 0 { fatalError("the store cannot be opened") }
    defer { close(file) }
    return try body(file)
  }

  private static func record(_ file: Int32, at offset: Int) -> Record {
    var bytes = [UInt8](repeating: 0, count: recordSize)
    _ = bytes.withUnsafeMutableBytes { pread(file, $0.baseAddress!, $0.count, off_t(offset)) }
    let fields = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }
    return Record(count: Int(fields[0])!, number: UInt64(fields[1])!, job: String(fields[2]))
  }
}

/// Under names of their own: methods of the store have those of the system's calls.
private func openFile(_ path: String, _ flags: Int32) -> Int32 { open(path, flags, 0o666) }
private func writeBytes(_ file: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int { write(file, bytes, count) }
