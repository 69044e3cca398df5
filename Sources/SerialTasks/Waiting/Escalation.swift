/// A job whose task is to be raised, and to what.
@usableFromInline
package struct Escalation: Sendable {
  package enum Target: Sendable {
    /// A job with tasks of its own, which are known when it is raised.
    case job(Waiter)
    /// A caller's task that has the turn, held so that it does not end before it has been raised.
    case caller(EscalationPin)
  }

  package let target: Target
  package let priority: UInt8
}
