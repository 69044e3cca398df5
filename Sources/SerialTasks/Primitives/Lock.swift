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

/// The only lock of this package: a value, and the only access to it.
///
/// It is `Synchronization.Mutex`. With `SERIALTASKS_TSAN` it is a pthread mutex, because ThreadSanitizer reports false
/// races for a contended `Mutex` on Linux.
///
/// On Linux, optimized code of Swift 6.3.1 may keep the address of a thread's id across an executor switch where
/// `withLock` is inlined into an async function that throws; a contended mutex then traps. So what an async function
/// does under the lock is in a separate function, which `.ci/thread-ids` checks.
///
/// Inside `withLock`, no continuation is resumed, no task cancelled or escalated, no user's closure called: bodies
/// return what to do after the unlock.
@usableFromInline
package struct Lock<Value: ~Copyable>: ~Copyable, Sendable {
  #if SERIALTASKS_TSAN
    private let box: PthreadBox<Value>

    @usableFromInline
    package init(_ value: consuming sending Value) { box = PthreadBox(value) }

    @usableFromInline
    package borrowing func withLock<Result: Sendable>(_ body: (inout sending Value) -> Result) -> Result {
      pthread_mutex_lock(box.mutex)
      defer { pthread_mutex_unlock(box.mutex) }
      return body(&box.value)
    }
  #else
    @usableFromInline let mutex: Mutex<Value>

    @inlinable
    package init(_ value: consuming sending Value) { mutex = Mutex(value) }

    @_alwaysEmitIntoClient
    package borrowing func withLock<Result: Sendable>(_ body: (inout sending Value) -> Result) -> Result {
      mutex.withLock { value in body(&value) }
    }
  #endif
}

#if SERIALTASKS_TSAN
  /// Safe because `value` is only accessed between `pthread_mutex_lock` and `pthread_mutex_unlock`.
  private final class PthreadBox<Value: ~Copyable>: @unchecked Sendable {
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    var value: Value

    init(_ value: consuming sending Value) {
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
