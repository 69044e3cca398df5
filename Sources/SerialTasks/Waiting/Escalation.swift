@usableFromInline
package struct Escalation: Sendable {
  package enum Target: Sendable {
    /// A job with its own tasks, which are looked up then.
    case job(Waiter)
    /// A caller's task that has the turn, and ends only after it was raised.
    case caller(EscalationPin)
  }

  package let target: Target
  package let priority: UInt8
}
