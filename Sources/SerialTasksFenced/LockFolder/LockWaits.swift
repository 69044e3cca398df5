#if !os(Windows) && !os(WASI)
  /// Callers that wait for the locks of a folder, each on a blocked thread, which a cancelled caller leaves behind.
  ///
  /// A thread that waits for a lock cannot be interrupted. If its caller has left, the next caller that needs the key
  /// takes it over; if there is none, the thread releases the lock at once. There are never more of them than callers
  /// that waited at one time. They hold no lock: the file that decides who is next is unlocked when the caller leaves.
  final class LockWaits: Sendable {
    /// Safe because its result is only accessed under the lock of the waits.
    private final class Caller: @unchecked Sendable {
      let decided = Latch()
      var result: Result<LockedKey, any Error>?
    }

    /// A wait for a lock, which may change its caller; safe because that is only accessed under the lock of the
    /// waits.
    private final class Wait: @unchecked Sendable {
      let name: FileName
      var caller: Caller?
      /// Decides who is next, while the thread waits for the key's file.
      var next: Descriptor?

      init(_ name: FileName, _ caller: Caller) {
        self.name = name
        self.caller = caller
      }
    }

    private let folder: Folder
    private let abandoned = Lock<[FileName: [Wait]]>([:])
    private let threads = Threads(limit: 8)

    init(_ folder: Folder) { self.folder = folder }

    nonisolated(nonsending) func lock(_ name: FileName) async throws -> LockedKey {
      try Task.checkCancellation()
      let caller = Caller()
      let wait = begin(name, caller)
      // The caller was cancelled: the latch has no limit.
      if await caller.decided.wait() != nil {
        leave(wait, caller)
        throw CancellationError()
      }
      return try result(of: caller)
    }
  }

  extension LockWaits {
    @inline(never)
    private func begin(_ name: FileName, _ caller: Caller) -> Wait {
      let left = abandoned.withLock { abandoned -> Wait? in
        guard let wait = abandoned[name]?.popLast() else { return nil }
        if abandoned[name]?.isEmpty == true { abandoned[name] = nil }
        wait.caller = caller
        // Unless another process is next by now. Under the lock, but without waiting.
        _ = try? wait.next?.lock(waiting: false)
        return wait
      }
      if let left { return left }
      let wait = Wait(name, caller)
      // A free key is locked by one of a few threads; any other needs its own.
      threads.run { [self] thread in
        switch thread {
        case .success: attempt(wait, waiting: false)
        case .failure(let error): end(wait, .failure(error))
        }
      }
      return wait
    }

    @inline(never)
    private func leave(_ wait: Wait, _ caller: Caller) {
      let late = abandoned.withLock { abandoned -> LockedKey? in
        guard wait.caller === caller else { return try? caller.result?.get() }
        wait.caller = nil
        wait.next?.unlock()
        abandoned[wait.name, default: []].append(wait)
        return nil
      }
      late?.unlock()
    }

    @inline(never)
    private func result(of caller: Caller) throws -> LockedKey { try abandoned.withLock { _ in caller.result! }.get() }
  }

  extension LockWaits {
    private func attempt(_ wait: Wait, place: Descriptor? = nil, waiting: Bool) {
      do {
        let claim = LockedKey.Claim(isWanted: { self.isWanted(wait, $0) }, hasWaited: { self.hasWaited(wait) })
        switch try LockedKey.attempt(wait.name, in: folder, place: place, waiting: waiting, for: claim) {
        case .locked(let key): end(wait, .success(key))
        case .busy(let place): try Threads.start { [self] in self.attempt(wait, place: place, waiting: true) }
        case .unwanted: break
        }
      } catch { end(wait, .failure(error)) }
    }

    /// Returns whether the wait has a caller; if not, it can no longer get one.
    private func isWanted(_ wait: Wait, _ next: Descriptor?) -> Bool {
      abandoned.withLock { abandoned in
        if wait.caller == nil { LockWaits.forget(wait, &abandoned) } else { wait.next = next }
        return wait.caller != nil
      }
    }

    private func hasWaited(_ wait: Wait) { abandoned.withLock { _ in wait.next = nil } }

    private func end(_ wait: Wait, _ result: Result<LockedKey, any Error>) {
      let caller = abandoned.withLock { abandoned -> Caller? in
        guard let caller = wait.caller else {
          LockWaits.forget(wait, &abandoned)
          return nil
        }
        wait.caller = nil
        caller.result = result
        return caller
      }
      if let caller { return caller.decided.open() }
      if case .success(let locked) = result { locked.unlock() }
    }

    private static func forget(_ wait: Wait, _ abandoned: inout [FileName: [Wait]]) {
      abandoned[wait.name]?.removeAll { $0 === wait }
      if abandoned[wait.name]?.isEmpty == true { abandoned[wait.name] = nil }
    }

    func isAwaited(_ name: FileName) throws(LockFolderError) -> Bool { try LockedKey.isAwaited(name, in: folder) }

    var abandonedThreads: Int { abandoned.withLock { $0.values.reduce(0) { $0 + $1.count } } }
  }
#endif
