/// Opens once; it has no turns, appears in no ``WaitReport``, and waiting for it closes no cycle.
package final class Latch: WaitingRoom {
  private struct Callers: ~Copyable {
    var isOpen = false
    var waiting = WaiterList()
  }

  private let callers = Lock(Callers())
  private let limits: TimeLimits

  package init(clock: AnyClock = AnyClock(ContinuousClock())) { limits = TimeLimits(clock: clock) }

  package func open() {
    let resumed = callers.withLock { callers in
      callers.isOpen = true
      var resumed = Few<Suspension>.none
      callers.waiting.removeAll { waiter in
        waiter.grant()
        resumed.append(waiter: waiter)
      }
      return resumed
    }
    resumed.resumeAll()
  }
}

extension Latch {
  package nonisolated(nonsending) func wait(
    atMost limit: Duration? = nil, isCancellable: Bool = true
  ) async -> JobRejection? {
    let caller = Caller()
    if isCancellable, Task.isCancelled { return .cancelled }
    let arrival = join(caller, limit)
    guard arrival.isWait else { return arrival.rejection }
    if isCancellable {
      await wait(caller)
    } else {
      await Suspension.park { park(caller, $0) }
      caller.endWait()
    }
    return rejection(of: caller)
  }

  @inline(never)
  private func join(_ caller: Caller, _ limit: Duration?) -> Arrival {
    let arrival = callers.withLock { callers -> Arrival in
      if callers.isOpen { return .granted }
      if let limit, limit <= .zero { return .rejected(.late) }
      callers.waiting.append(caller)
      return .waiting(ahead: 0)
    }
    if arrival.isWait, let limit { caller.begin(limits.start(limit) { self.leave(caller, .late) }) }
    return arrival
  }

  @inline(never)
  private func rejection(of caller: Caller) -> JobRejection? { callers.withLock { _ in caller.rejection } }

  package func park(_ waiter: Caller, _ suspension: Suspension) -> Bool {
    callers.withLock { _ in waiter.park(suspension) }
  }

  package func leave(_ waiter: Caller, _ why: JobRejection) {
    let suspension = callers.withLock { callers -> Suspension? in
      guard waiter.isWaiting else { return nil }
      callers.waiting.remove(waiter)
      waiter.reject(why)
      return waiter.takeSuspension()
    }
    suspension?.resume()
  }

  package func blockers(of waiter: Caller) -> Blockers { .none }
}
