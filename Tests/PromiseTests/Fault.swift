/// What is wrong with a wrong desk.
enum Fault: String, CaseIterable, Sendable {
  case none
  // The job
  case runsTwice, endsItsTurnEarly, hidesCancellation, losesTaskLocals, keepsItsPriority, throwsAnotherError,
    hidesErrors
  case losesTheTurnWithAnError, forgetsNames, isNeverLate, isNeverLateInAPause, draftsDoNotWait, draftsWaitTwice,
    replacedRunsToo
  // The call
  case takesNoTurn, forgetsEveryTenth, closesLate, staysFull, movesToTheEnd, callsFromAnotherTask, runsWhatIsRejected
  case runsInAnotherTask
  case hidesRejections, keepsThePlaceOfWhoLeft, takesTheOthersAlong, rejectsWhatRan, withdrawsAsCancelled
  case answersInAnotherTurn, namesAnotherCapacity, namesNoCycle, limitsWhatHasBegun, leavesItsTimer
  // The handle
  case submitsCancelled, tellsTwice, tellsNobody, isNeverCancelled, endsWithWhoStopsWaiting, replacedIsCancelled
  case replacedCancelsTheNewest, callsHandlersLate
  // The executor
  case hasRoomForOneMore, reportsNoLongTurns, isInNoReport, countsOneTooMany, countsNothingThatRuns
  case letsUrgentJobsPass, isNeverInTurn, isNeverReleased, keepsItsWork, pausesThoughCancelled, doesNotPause,
    doesNotResume,
    pauseDoesNotWait
  case drainsAtOnce, drainsFromAnotherTask, drainsWhatComesLater, closingWithdraws, withdrawsNothing
  case shutDownDoesNotClose, isNeverInTime, isAlwaysInTime, shutsDownAtOnce, shutDownDoesNotWait, zeroIsAnHour,
    shutDownHidesCancellation
  // Events
  case dropsEnds, dropsBeginnings, reportsTwice, reportsBackwards, timesNothing, hidesErrorsInEvents
  case dropsRejections, dropsReplacements

  static var all: [(Fault, Promise)] { allCases.flatMap { fault in fault.breaks.map { (fault, $0) } } }

  /// The promises that name it.
  var breaks: [Promise] {
    switch self {
    case .none: []
    case .runsTwice: [.order, .crowd]
    case .endsItsTurnEarly: [.overlap, .drained]
    case .hidesCancellation: [.cancelledRunning, .cancelledUnsuspended, .withdrawnRunning, .shutDownRunning]
    case .losesTaskLocals: [.taskLocals]
    case .keepsItsPriority: [.raisedWhileWaiting, .raisedWhileRunning, .raisedByAwaiting, .raisedByDraining]
    case .throwsAnotherError, .hidesErrors, .losesTheTurnWithAnError: [.error]
    case .forgetsNames: [.events, .counted, .isolation]
    case .isNeverLate, .isNeverLateInAPause, .limitsWhatHasBegun, .leavesItsTimer: [.late]
    case .draftsDoNotWait, .draftsWaitTwice: [.drafted]
    case .replacedRunsToo, .replacedIsCancelled, .replacedCancelsTheNewest: [.replaced]
    case .takesNoTurn: [.order, .overlap, .sharing]
    case .forgetsEveryTenth: [.crowd]
    case .closesLate, .closingWithdraws: [.closed]
    case .staysFull, .namesAnotherCapacity, .hasRoomForOneMore: [.full, .fullOverKeys]
    case .movesToTheEnd: [.order]
    case .runsInAnotherTask: [.cancelledRunning, .cancelledUnsuspended]
    case .callsFromAnotherTask: [.deadlockWithItself, .deadlockInAChild, .deadlockAcross, .potentialDeadlock]
    case .runsWhatIsRejected:
      [
        .cancelledBefore, .cancelledWaiting, .cancelledAsItBegins, .withdrawnWaiting, .closed, .full, .late,
        .shutDownNow,
      ]
    case .hidesRejections: [.cancelledBefore, .withdrawnWaiting, .shutDownWaiting]
    case .keepsThePlaceOfWhoLeft: [.cancelledWaiting, .withdrawnWaiting, .late]
    case .takesTheOthersAlong: [.sharing]
    case .rejectsWhatRan: [.cancelledRunning]
    case .withdrawsAsCancelled, .answersInAnotherTurn: [.withdrawnWaiting]
    case .withdrawsNothing: [.withdrawnWaiting, .withdrawnRunning]
    case .hidesErrorsInEvents: [.error]
    case .dropsRejections: [.cancelledWaiting]
    case .dropsReplacements: [.replaced]
    case .namesNoCycle: [.deadlockWithItself, .deadlockAcross]
    case .submitsCancelled: [.cancelledBefore]
    case .tellsTwice, .tellsNobody, .isNeverCancelled, .endsWithWhoStopsWaiting, .isNeverInTurn: [.handles]
    case .callsHandlersLate: [.handlers]
    case .reportsNoLongTurns: [.heldTooLong]
    case .isInNoReport, .countsOneTooMany, .countsNothingThatRuns: [.counted]
    case .letsUrgentJobsPass: [.raisedWhileWaiting]
    case .isNeverReleased: [.released, .captured]
    case .keepsItsWork: [.captured]
    case .doesNotPause, .doesNotResume: [.paused]
    case .pausesThoughCancelled: [.pausedWhileRunning, .drafted]
    case .pauseDoesNotWait: [.pausedWhileRunning]
    case .drainsFromAnotherTask: [.deadlockOfDrain]
    case .drainsAtOnce, .drainsWhatComesLater: [.drained]
    case .shutDownDoesNotClose, .isNeverInTime, .shutsDownAtOnce: [.shutDownInTime]
    case .isAlwaysInTime: [.shutDownWaiting, .shutDownRunning, .shutDownNow, .shutDownInterrupted]
    case .shutDownDoesNotWait, .shutDownHidesCancellation: [.shutDownRunning]
    case .zeroIsAnHour: [.shutDownNow]
    case .dropsEnds, .dropsBeginnings, .reportsTwice, .reportsBackwards, .timesNothing: [.events]
    }
  }

  /// Whether the promise must name it, of the way.
  func shows(_ promise: Promise, of way: Way) -> Bool {
    let hasTask = way.has(.submits) || way.has(.isShared)
    return switch self {
    case .takesNoTurn, .closesLate, .staysFull, .movesToTheEnd, .hidesRejections, .keepsThePlaceOfWhoLeft,
      .withdrawsAsCancelled, .answersInAnotherTurn, .namesAnotherCapacity:
      !way.has(.submits)
    case .submitsCancelled: way.has(.submits)
    case .callsFromAnotherTask, .namesNoCycle: way.has(.submits) || !way.has([.isInLine, .isShared])
    case .forgetsEveryTenth, .rejectsWhatRan, .runsInAnotherTask, .runsWhatIsRejected:
      !way.has(.submits) && !way.has(.isShared)
    case .takesTheOthersAlong: way.has(.isShared) && !way.has(.submits) && !way.has(.cannotLeave)
    case .hidesCancellation:
      !way.has(.runsToItsEnd) && !way.has(.isStartedAhead) && (way.has(.submits) || way.has(.isShared))
    case .losesTaskLocals: !way.has(.isDetached)
    case .drainsWhatComesLater: way.has(.isInLine)
    case .forgetsNames: way.has(.isInLine) && (promise != .isolation || hasTask)
    case .withdrawsNothing: promise != .withdrawnRunning || hasTask
    default: true
    }
  }
}
