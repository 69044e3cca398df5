import CoalescingTasks
import Synchronization

/// A token, which is retained when it is copied, as most values are.
struct KeptToken: Sendable { let text: String }

let longToken = KeptToken(text: "a token that is too long to be kept without an allocation")

/// What a caller does with a value; not inlined, so that it is made.
@inline(never)
func use(_ token: KeptToken) -> Int { token.text.utf8.count }

/// A valid value, asked for again and again.
func keptReads(_ count: Int) async -> Double {
  let token = RenewingValue<KeptToken> { _ in Renewed(longToken, validFor: .seconds(3_600)) }
  _ = try! await token.value()
  var sum = 0
  let time = await nanoseconds(per: count) { for _ in 0..<count { sum += use(try! await token.value()) } }
  precondition(sum > 0)
  return time
}

final class KeptParts: Sendable {
  let kept = Mutex<(token: KeptToken, until: ContinuousClock.Instant)?>((longToken, .now.advanced(by: .seconds(3_600))))
}

/// What it is made of: the clock is read, and a section of a mutex finds the value and whether it is valid.
func keptParts(_ count: Int) async -> Double {
  let parts = KeptParts()
  var sum = 0
  let time = await nanoseconds(per: count) {
    for _ in 0..<count {
      let now = ContinuousClock.now
      let token = parts.kept.withLock { kept -> KeptToken? in
        guard let kept, now < kept.until else { return nil }
        return kept.token
      }
      sum += use(token!)
    }
  }
  precondition(sum > 0)
  return time
}

/// The mutex alone, which does not know when the value expires.
func mutexReads(_ count: Int) async -> Double {
  let parts = KeptParts()
  var sum = 0
  let time = await nanoseconds(per: count) {
    for _ in 0..<count { sum += use(parts.kept.withLock { $0?.token }!) }
  }
  precondition(sum > 0)
  return time
}
