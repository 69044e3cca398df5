#if SERIALTASKS_TSAN
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #elseif canImport(Darwin)
    import Darwin
  #endif
#else
  import Synchronization
#endif

/// The one lock of this package: a value, and the only way to touch it.
///
/// It is `Synchronization.Mutex`. Under `SERIALTASKS_TSAN` it is a pthread mutex, because ThreadSanitizer does not see the
/// futex path that `Mutex` takes on Linux when it is contended and reports races that are none.
///
/// On Linux, optimised code of Swift 6.3.1 may keep the address of a thread's id across an executor switch where `withLock` is
/// inlined into an async function that throws, and a contended mutex then traps. The tests' watch met it; no function of this
/// library is compiled so, as `.ci/thread-ids` checks. Prefer a function of its own for what an async function does under the
/// lock.
///
/// Nothing foreign runs while it is held: no continuation is resumed, no task cancelled or escalated, no closure of a user
/// called inside `withLock`. Bodies collect what is to be done, return it, and the caller does it after the unlock.
@usableFromInline
package struct Lock<Value: ~Copyable & Sendable>: ~Copyable, Sendable {
  #if SERIALTASKS_TSAN
    private let box: PthreadBox<Value>

    @usableFromInline
    package init(_ value: consuming Value) { box = PthreadBox(value) }

    @usableFromInline
    package borrowing func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
      pthread_mutex_lock(box.mutex)
      defer { pthread_mutex_unlock(box.mutex) }
      return body(&box.value)
    }
  #else
    @usableFromInline let mutex: Mutex<Value>

    @inlinable
    package init(_ value: consuming Value) { mutex = Mutex(value) }

    @_alwaysEmitIntoClient
    package borrowing func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
      mutex.withLock { value in body(&value) }
    }
  #endif
}

#if SERIALTASKS_TSAN
  /// Safe because `value` is only reached between `pthread_mutex_lock` and `pthread_mutex_unlock`.
  private final class PthreadBox<Value: ~Copyable & Sendable>: @unchecked Sendable {
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    var value: Value

    init(_ value: consuming Value) {
      self.value = value
      mutex.initialize(to: pthread_mutex_t())
      pthread_mutex_init(mutex, nil)
    }

    deinit {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }
  }
#endif
