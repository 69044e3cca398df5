#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

enum Memory {
  /// The resident memory of this process in kilobytes; `nil` where there is no /proc.
  static var resident: Int? {
    guard let file = fopen("/proc/self/statm", "r") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, 128, file) != nil else { return nil }
    let fields = line.prefix { $0 != 0 }.split(separator: 32).map {
      String(decoding: $0.map(UInt8.init), as: UTF8.self)
    }
    guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
    return pages * Int(sysconf(Int32(_SC_PAGESIZE))) / 1_024
  }
}
