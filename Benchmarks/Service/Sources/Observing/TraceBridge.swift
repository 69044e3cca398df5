import SerialTasks
import Synchronization
import Tracing

/// Events as spans: one for the wait of a job, one for its turn, and one for each caller that joins it.
///
/// The spans belong to the trace of the task that causes the event. A caller that joins has its own trace, and its span is
/// linked to that of the flight, which belongs to the trace of the caller that leads.
package final class TraceBridge: Sendable {
  private struct Job: Hashable {
    let executor: String
    let place: UInt64
  }

  private struct Open {
    var wait: (any Span)?
    var turn: (any Span)?
  }

  // The jobs that have come and not ended. Each job has one end, so none stays.
  private let open = Mutex<[Job: Open]>([:])
  private let chosen: (any Tracer)?

  /// Reports to the tracer, or to the one that the program has chosen.
  package init(_ tracer: (any Tracer)? = nil) { chosen = tracer }

  package func report(_ event: TaskEvent) {
    guard let place = event.place else { return }
    let job = Job(executor: event.executor, place: place)
    switch event.kind {
    case .waiting, .drafted:
      let span = start("wait", event)
      open.withLock { $0[job, default: Open()].wait = span }
    case .began:
      open.withLock { $0[job]?.wait.take() }?.end()
      let span = start("turn", event)
      open.withLock { $0[job, default: Open()].turn = span }
    case .joined:
      let span = start("join", event)
      if let flight = open.withLock({ $0[job]?.turn })?.context {
        span.addLink(SpanLink(context: flight, attributes: [:]))
      }
      span.end()
    case .finished, .replaced: end(job, nil)
    case .failed(let error): end(job, error)
    case .rejected(let why): end(job, why)
    // The job may go on for other callers.
    case .left, .served, .heldTooLong: break
    @unknown default: break
    }
  }

  private func start(_ what: String, _ event: TaskEvent) -> any Span {
    let span = (chosen ?? InstrumentationSystem.tracer).startSpan(
      "\(what) \(event.executor)", context: ServiceContext.current ?? .topLevel)
    span.attributes["job"] = event.job
    return span
  }

  private func end(_ job: Job, _ error: (any Error)?) {
    guard let spans = open.withLock({ $0.removeValue(forKey: job) }) else { return }
    for span in [spans.wait, spans.turn].compactMap(\.self) {
      if let error { span.recordError(error) }
      span.end()
    }
  }
}
