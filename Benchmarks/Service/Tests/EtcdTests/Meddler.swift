import Etcd
import GRPCCore
import SerialTasksTesting
import Synchronization

/// A network that loses answers, and delivers requests late or twice.
final class Meddler: Sendable {
  enum Fate: Sendable {
    case delivered
    /// Executed, and the answer is lost.
    case answerLost
    /// Not executed until ``Meddler/deliver()``; the caller gets no answer.
    case late
    /// Executed at once, and answered when the gate is open.
    case answeredAfter(Gate)
    /// Executed, answered, and executed again by ``Meddler/deliver()``.
    case twice
    /// Not executed, and refused with this.
    case refused(RPCError)
  }

  struct Lost: Error {}
  private typealias Send = @Sendable () async throws -> any Sendable

  private struct State {
    var fates: [String: [Fate]] = [:]
    var draw: (@Sendable (String) -> Fate)?
    var late: [Send] = []
    var calls: [String: Int] = [:]
    var answered: [String: Int] = [:]
  }

  private let state = Mutex(State())

  /// Decides the fate of the calls of this name that come next, one each.
  func next(_ call: String, _ fates: Fate...) { state.withLock { $0.fates[call, default: []] += fates } }

  /// Decides the fate of all others.
  func always(_ draw: (@Sendable (String) -> Fate)?) { state.withLock { $0.draw = draw } }

  /// Decides the fate of the next call of this name; returns what sends it, or sends it again, when it was made.
  func misdeliver(_ call: String, _ fate: Fate) -> @Sendable () async throws -> Void {
    next(call, fate)
    return {
      while self.late == 0 { try await Task.sleep(for: .milliseconds(5)) }
      await self.deliver()
    }
  }

  /// How often a call of this name was made.
  func calls(_ call: String) -> Int { state.withLock { $0.calls[call] ?? 0 } }

  /// Returns when so many calls of this name were made.
  func called(_ call: String, _ count: Int) async throws {
    while calls(call) < count { try await Task.sleep(for: .milliseconds(5)) }
  }

  /// How often a call of this name was answered.
  func answers(_ call: String) -> Int { state.withLock { $0.answered[call] ?? 0 } }

  /// Returns when so many calls of this name were answered.
  func answered(_ call: String, _ count: Int) async throws {
    while answers(call) < count { try await Task.sleep(for: .milliseconds(5)) }
  }

  /// How many requests are late.
  var late: Int { state.withLock { $0.late.count } }

  /// Sends what is late, and returns when it has been answered.
  func deliver() async {
    let late = state.withLock { state in
      defer { state.late = [] }
      return state.late
    }
    for send in late { _ = try? await send() }
  }

  func pass(_ call: String, _ send: @escaping @Sendable () async throws -> any Sendable) async throws -> any Sendable {
    switch fate(call) {
    case .delivered:
      let answer = try await send()
      state.withLock { $0.answered[call, default: 0] += 1 }
      return answer
    case .answerLost:
      _ = try? await send()
      throw Lost()
    case .late:
      state.withLock { $0.late.append(send) }
      throw Lost()
    case .answeredAfter(let gate):
      let answer = try await send()
      await gate.pass()
      return answer
    case .refused(let error): throw error
    case .twice:
      let answer = try await send()
      state.withLock { $0.late.append(send) }
      return answer
    }
  }

  private func fate(_ call: String) -> Fate {
    state.withLock { state in
      state.calls[call, default: 0] += 1
      if let fate = state.fates[call]?.first {
        state.fates[call]?.removeFirst()
        return fate
      }
      return state.draw?(call) ?? .delivered
    }
  }
}
