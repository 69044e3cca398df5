#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the tests may demand of the machine.
enum Cores {
  /// How many cores the process may use: under `taskset`, say, fewer than there are, which Foundation does not notice.
  static let usable: Int = {
    #if os(Linux)
      var cores = cpu_set_t()
      guard affinity(0, MemoryLayout<cpu_set_t>.size, &cores) == 0 else { return 1 }
      return withUnsafeBytes(of: cores) { bytes in bytes.reduce(0) { $0 + $1.nonzeroBitCount } }
    #else
      return sysconf(_SC_NPROCESSORS_ONLN)
    #endif
  }()

  /// Whether two threads can run in the same moment, so that a race can go both ways.
  static let areTwo = usable >= 2

  /// Spins, but not in the way of others: tests run beside each other, and on two cores six that spin leave little to the pool.
  static func spin(while condition: @autoclosure () -> Bool) { while condition() { sched_yield() } }
}

#if os(Linux)
  /// Safe because this is the function as `sched.h` declares it, which Swift imports without it.
  @_silgen_name("sched_getaffinity")
  private func affinity(_ process: pid_t, _ size: Int, _ cores: UnsafeMutablePointer<cpu_set_t>) -> CInt
#endif
