#if !os(Windows) && !os(WASI)
  import Foundation
  import SerialTasksFenced

  /// An engine of the other kind, whose grants expire: leases, as a lock service gives them, kept in files.
  ///
  /// A holder renews its lease while it runs. One that is stopped does not, and another process is granted the key. It looks
  /// again and again, for it is a tool for tests.
  package struct LeaseFiles: ExclusiveAccess {
    package struct Away: Error {}

    private struct Lease {
      var number: UInt64 = 0
      /// In nanoseconds of the machine's clock, which all processes share.
      var expiry: UInt64 = 0
    }

    private let folder: String
    private let validity: UInt64

    package init(_ folder: String, validity: Duration) {
      self.folder = folder
      self.validity = UInt64(validity / .nanoseconds(1))
    }

    package nonisolated(nonsending) func withAccess(
      to key: String, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
    ) async throws {
      let number = try await acquire(key)
      defer { try? change(key) { if $0.number == number { $0.expiry = 0 } } }
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          // A lease that was lost is not renewed; the turn finds out with `check`.
          while try change(key, { renew(&$0, number) }) { try await Task.sleep(nanoseconds: validity / 4) }
        }
        try await turn(Fence(number: number) { try check(key, number) })
        group.cancelAll()
      }
    }

    /// Takes the key from its holder, as time does.
    package func expire(_ key: String) throws { try change(key) { $0.expiry = 0 } }

    private nonisolated(nonsending) func acquire(_ key: String) async throws -> UInt64 {
      while true {
        let number = try change(key) { lease -> UInt64? in
          guard lease.expiry < LeaseFiles.now else { return nil }
          lease = Lease(number: lease.number + 1, expiry: LeaseFiles.now + validity)
          return lease.number
        }
        if let number { return number }
        try await Task.sleep(for: .milliseconds(2))
      }
    }

    private func renew(_ lease: inout Lease, _ number: UInt64) -> Bool {
      guard lease.number == number, lease.expiry >= LeaseFiles.now else { return false }
      lease.expiry = LeaseFiles.now + validity
      return true
    }

    private func check(_ key: String, _ number: UInt64) throws {
      let isHeld = try change(key) { $0.number == number && $0.expiry >= LeaseFiles.now }
      if !isHeld { throw AccessError.lost(number: number, reason: "the lease has expired") }
    }

    private static var now: UInt64 {
      var now = timespec()
      clock_gettime(CLOCK_MONOTONIC, &now)
      return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    }

    /// Changes the lease of the key in one step.
    private func change<Result>(_ key: String, _ body: (inout Lease) -> Result) throws -> Result {
      let file = open("\(folder)/\(key)", O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
      if file < 0 { throw Away() }
      defer { close(file) }
      _ = flock(file, LOCK_EX)
      var words: [UInt64] = [0, 0]
      _ = words.withUnsafeMutableBytes { pread(file, $0.baseAddress!, $0.count, 0) }
      var lease = Lease(number: words[0], expiry: words[1])
      let result = body(&lease)
      words = [lease.number, lease.expiry]
      _ = words.withUnsafeBytes { pwrite(file, $0.baseAddress!, $0.count, 0) }
      return result
    }
  }
#endif
