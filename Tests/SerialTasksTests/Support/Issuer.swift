import CoalescingTasks

/// Issues values for renewals: it counts its calls, and answers each with its number when that call is let through.
final class Issuer: Sendable {
  private struct State: Sendable {
    var gates: [Gate] = []
    var given: [Int?] = []
    var cancelled: [Int] = []
    var validity = Duration.seconds(60)
  }

  /// Whether each call waits at a gate of its own.
  let isHeld: Bool
  private let state = Lock(State())

  init(isHeld: Bool = false) { self.isHeld = isHeld }

  /// How often it was called.
  var calls: Int { given.count }

  /// The previous value that each call was given.
  var given: [Int?] { state.withLock { $0.given } }

  /// Which calls found themselves cancelled when they were let through.
  var cancelled: [Int] { state.withLock { $0.cancelled } }

  /// How long the values of later answers are valid.
  func answers(validFor validity: Duration) { state.withLock { $0.validity = validity } }

  /// Lets the call through; it must have come.
  func answer(_ call: Int) { state.withLock { $0.gates[call - 1] }.open() }

  func renew(_ previous: Int?) async throws -> Renewed<Int> {
    let (call, gate) = state.withLock { state in
      state.given.append(previous)
      state.gates.append(Gate())
      return (state.given.count, state.gates.last!)
    }
    if isHeld { await gate.pass() }
    return state.withLock { state in
      if Task.isCancelled { state.cancelled.append(call) }
      return Renewed(call, validFor: state.validity)
    }
  }
}

/// A value that an issuer renews, on a clock of its own.
struct IssuedToken {
  let clock = ManualClock()
  let issuer: Issuer
  let value: RenewingValue<Int>

  init(isHeld: Bool = false, renewAhead: Int = 0) {
    issuer = Issuer(isHeld: isHeld)
    value = RenewingValue(
      name: "token", renewAhead: .seconds(renewAhead), clock: clock, renew: { [issuer] in try await issuer.renew($0) })
  }

  /// Asks in a task of its own, which waits for a renewal or has ended when this returns.
  func asking() -> Task<Int, any Error> { Task.immediate { try await value.value() } }

  func advance(by seconds: Int) { clock.advance(by: .seconds(seconds)) }
}
