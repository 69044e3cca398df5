import CoalescingTasks
import Synchronization
import Testing

/// Synchronous code asks with a completion, and is a caller like any other.
@Suite(.watched) struct RenewingCompletionTests {
  let results = Log<Result<Int, any Error>>()

  private func values() -> [Int] { results.entries.compactMap { try? $0.get() } }

  /// Fails if: what was rejected is not renewed, or not once.
  @Test func aRejectedValueIsRenewed() async throws {
    let token = IssuedToken()
    _ = try await token.value.value()
    for _ in 1...2 { token.value.value(insteadOf: 1) { results($0) } }
    try await until { values() == [2, 2] }
  }

  /// Fails if: the completion is called inside the call, where the caller's lock is taken, also when the value is valid.
  @Test func aCompletionNeverRunsInsideTheCall() async throws {
    let token = IssuedToken()
    for _ in 0..<200 {
      let lock = Mutex(0)
      let done = Gate()
      lock.withLock { _ in
        token.value.value { result in
          lock.withLock { $0 = (try? result.get()) ?? -1 }
          done.open()
        }
      }
      await done.pass()
      #expect(lock.withLock { $0 } == 1)
    }
  }

  @MainActor private final class Screen {
    var tokens: [Int] = []

    func load(_ token: RenewingValue<Int>, _ done: Gate) {
      token.value { result in
        MainActor.preconditionIsolated()
        if case .success(let value) = result { self.tokens.append(value) }
        done.open()
      }
    }
  }

  /// Fails if: a completion may not touch the state of the actor that asks. (Then this does not compile.)
  @Test @MainActor func itIsCalledInItsOwnIsolation() async throws {
    let (token, screen, done) = (IssuedToken(), Screen(), Gate())
    screen.load(token.value, done)
    #expect(screen.tokens.isEmpty)
    await done.pass()
    #expect(screen.tokens == [1])
  }
}
