#if !os(Windows) && !os(WASI)
  import Foundation

  /// A store that many processes write to, as a fenced store has to be: it learns a number before anything is read under it, and
  /// refuses a number lower than one that it has learned.
  ///
  /// It is a file for each key: the highest number, and then records. A job reads the last record and writes one that counts on
  /// from it: two jobs at once would write the same count.
  package struct Store: Sendable {
    package struct Refused: Error {}

    package struct Record: Hashable, Sendable {
      package let count: Int
      package let number: UInt64
      package let job: String
    }

    /// Also that of the number.
    private static let recordSize = 64
    private let folder: String

    package init(_ folder: String) { self.folder = folder }

    /// All records of the key, in the order in which they were written.
    package func records(of key: String) -> [Record] {
      open(key) { file in
        let size = Int(lseek(file, 0, SEEK_END))
        return stride(from: Store.recordSize, to: size, by: Store.recordSize).map { Store.record(file, at: $0) }
      }
    }

    /// Learns the number, and returns the last record: one step, so that no lower number is written after this was read.
    package func last(of key: String, under number: UInt64) throws -> Record? {
      try open(key) { file in
        try Store.learn(number, file)
        let size = Int(lseek(file, 0, SEEK_END))
        return size == Store.recordSize ? nil : Store.record(file, at: size - Store.recordSize)
      }
    }

    /// Appends a record, unless a higher number was learned.
    package func write(_ record: Record, to key: String) throws {
      try open(key) { file in
        try Store.learn(record.number, file)
        Store.write("\(record.count) \(record.number) \(record.job)", file, at: Int(lseek(file, 0, SEEK_END)))
      }
    }

    /// Opens the file of the key, and locks it.
    private func open<Result>(_ key: String, _ body: (Int32) throws -> Result) rethrows -> Result {
      let file = openFile("\(folder)/\(key)", O_RDWR | O_CREAT | O_CLOEXEC)
      if file < 0 { fatalError("the store cannot be opened") }
      defer { close(file) }
      _ = flock(file, LOCK_EX)
      return try body(file)
    }

    private static func learn(_ number: UInt64, _ file: Int32) throws {
      let highest = fields(file, at: 0).first.flatMap { UInt64($0) } ?? 0
      if highest > number { throw Refused() }
      if highest < number { write("\(number)", file, at: 0) }
    }

    private static func write(_ text: String, _ file: Int32, at offset: Int) {
      var bytes = Array(text.utf8)
      bytes += [UInt8](repeating: UInt8(ascii: " "), count: recordSize - bytes.count - 1) + [UInt8(ascii: "\n")]
      if bytes.withUnsafeBytes({ pwrite(file, $0.baseAddress!, $0.count, off_t(offset)) }) != recordSize {
        fatalError("the store cannot be written to")
      }
    }

    private static func record(_ file: Int32, at offset: Int) -> Record {
      let fields = fields(file, at: offset)
      return Record(count: Int(fields[0])!, number: UInt64(fields[1])!, job: fields[2])
    }

    private static func fields(_ file: Int32, at offset: Int) -> [String] {
      var bytes = [UInt8](repeating: UInt8(ascii: " "), count: recordSize)
      _ = bytes.withUnsafeMutableBytes { pread(file, $0.baseAddress!, $0.count, off_t(offset)) }
      return String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }.map(String.init)
    }
  }

  /// Under a name of its own: a method of the store has that of the system's call.
  private func openFile(_ path: String, _ flags: Int32) -> Int32 { open(path, flags, 0o666) }
#endif
