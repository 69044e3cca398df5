/// Plays contests, candidates in turn, and keeps what they found.
package struct Runner {
  let pace: Pace
  let progress: Progress
  let interruption: Interruption
  private let clock = ContinuousClock()
  private let start = ContinuousClock.now
  private var findings: [Finding] = []
  private var absences: [Setting: [Absence]] = [:]
  /// What one job took, setup included, at the depth before.
  private var cost: [Setting: [String: Duration]] = [:]

  package init(pace: Pace, contests: Int, interruption: Interruption) {
    self.pace = pace
    self.interruption = interruption
    progress = Progress(total: contests)
  }

  /// Why not everything was measured, if it was not.
  private var stop: String? {
    if interruption.wasAsked { return "interrupted" }
    if let limit = pace.limit, clock.now - start > limit { return "the time for a quick run is over" }
    return nil
  }

  package mutating func run(_ contests: [Contest]) async -> Outcome {
    var why: String?
    for (index, contest) in contests.enumerated() {
      why = stop
      if why != nil { break }
      await play(contest, number: index + 1)
    }
    progress.end()
    return Outcome(findings: findings, absences: absences, unfinished: why ?? stopInside)
  }

  /// Set when a contest could not be played to its end.
  private var stopInside: String?
}

// MARK: - One contest

extension Runner {
  private mutating func play(_ contest: Contest, number: Int) async {
    let setting = contest.setting
    progress.begin(setting, number: number)
    for absence in contest.absent { note(absence, in: setting) }

    var standings = contest.entries.filter { mayPlay($0, in: setting) }.map { Standing(entry: $0) }
    rounds: for round in 0...pace.rounds {
      for turn in standings.indices {
        // Each round begins with another candidate, so that none always follows the same one.
        let index = (turn + round) % standings.count
        if standings[index].isTooSlow { continue }
        stopInside = stop
        if stopInside != nil { break rounds }
        progress.show(
          setting, number: number, candidate: standings[index].entry.candidate, round: round, rounds: pace.rounds)
        await playRound(&standings[index], in: setting)
      }
    }
    if stopInside == nil { await weigh(&standings) }
    findings += Finding.all(of: standings, in: contest)
  }

  private mutating func playRound(_ standing: inout Standing, in setting: Setting) async {
    let start = clock.now
    standing.samples.append(await standing.entry.round())
    let took = clock.now - start
    if took > pace.longestRound { standing.isTooSlow = true }
    // Setup included, unless the round was so short that it was repeated.
    let perJob =
      setting.depth < jobsOfShortRound
      ? .nanoseconds(standing.samples.last!.nanosecondsPerJob) : took / setting.depth
    cost[setting.series, default: [:]][standing.entry.candidate] = perJob
  }

  private func weigh(_ standings: inout [Standing]) async {
    for index in standings.indices {
      guard !standings[index].isTooSlow, let weigh = standings[index].entry.weigh else { continue }
      // Other code may free memory just then, so one reading is not enough.
      var readings: [Double] = []
      for _ in 0..<pace.weighings where stop == nil { if let bytes = await weigh() { readings.append(bytes) } }
      if !readings.isEmpty { standings[index].bytes = Summary(readings).median }
    }
  }

  /// Whether a round is expected to end in time, from what a job took at the depth before.
  private mutating func mayPlay(_ entry: Entry, in setting: Setting) -> Bool {
    guard let perJob = cost[setting.series]?[entry.candidate], perJob * setting.depth > pace.longestRound else {
      return true
    }
    note(Absence(entry.candidate, "too slow for depth \(setting.depth.grouped) and more"), in: setting)
    return false
  }

  private mutating func note(_ absence: Absence, in setting: Setting) {
    var all = absences[setting.series, default: []]
    if !all.contains(where: { $0.candidate == absence.candidate }) { all.append(absence) }
    absences[setting.series] = all
  }
}

/// How a candidate is doing in a contest.
struct Standing {
  let entry: Entry
  var samples: [Sample] = []
  var bytes: Double?
  var isTooSlow = false

  /// The first round warms up; it counts if it took so long that it remained the only one.
  var firstThatCounts: Int { samples.count > 1 ? 1 : 0 }
}
