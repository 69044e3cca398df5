@usableFromInline
package struct Escalation: Sendable {
  package enum Target: Sendable {
    /// A job with its own tasks, which are looked up when it is raised.
    case job(Waiter)
    /// A caller's task that has the turn, and does not end before it was raised.
    case caller(EscalationPin)
  }

  package let target: Target
  package let priority: UInt8
}
