final class LineDrainRoom: DrainRoom {
  private let line: Line
  /// Called before jobs are withdrawn; returns what to call after that.
  private let withdrawing: (@Sendable () -> @Sendable () -> Void)?

  init(_ line: Line, withdrawing: (@Sendable () -> @Sendable () -> Void)? = nil) {
    (self.line, self.withdrawing) = (line, withdrawing)
  }

  var clock: AnyClock { line.clock }
  var isIdle: Bool { line.locked { $0.isIdle } }

  func label(of drainer: LineDrainer) -> String { line.label(drainer.queue?.label.map { [$0] } ?? []) }

  func makeDrainer() -> LineDrainer { LineDrainer(priority: Task.currentPriority.rawValue) }

  func join(_ drainer: LineDrainer) -> (Arrival, Withdrawal?) {
    line.locked { state in
      var withdrawal = Withdrawal()
      let arrival = state.drain(drainer, &withdrawal.effects)
      return (arrival, withdrawal)
    }
  }

  @inline(never)
  func shutDown(_ drainer: LineDrainer, withdraws: Bool, after first: LineDrainer?) -> (ShutDownStep, Withdrawal?) {
    let hasLeft = first.map { rejection(of: $0) != nil } ?? true
    let wake = withdraws && hasLeft ? withdrawing?() : nil
    return line.locked { state in
      var (step, withdrawal) = state.shutDown(drainer, withdraws: withdraws, after: first)
      withdrawal?.wake = wake
      return (step, withdrawal)
    }
  }

  func carryOut(_ withdrawal: Withdrawal) { line.carryOut(withdrawal) }
  func park(_ drainer: LineDrainer, _ suspension: Suspension) -> Bool { line.locked { _ in drainer.park(suspension) } }
  func leave(_ drainer: LineDrainer, _ why: JobRejection) { line.carryOut { $0.leave(drainer, why, &$1) } }
  func rejection(of drainer: LineDrainer) -> JobRejection? { line.locked { _ in drainer.rejection } }
  func blockers(of drainer: LineDrainer) -> Blockers { line.locked { $0.blockers(of: drainer) } }

  func meeting(of drainer: LineDrainer, with turn: WaitNode) -> Meeting {
    line.locked { $0.meeting(of: drainer, with: turn) }.named(in: line)
  }

  func stake(of drainer: LineDrainer) -> Stake? {
    var stake = line.stake(drainer.queue?.stakeKey.map { [$0] }, kind: [])
    stake.mode = .drain
    return stake
  }
}
