import SerialTasksFenced
import Testing

/// Every short history of one key, beside a model that writes down for each job what has become of it.
@Suite(.watched) struct AccessStateTests {
  enum Event: CaseIterable {
    case arrive, go, goInVain, leaveFirst, leaveLast, grant, grantOld, fail, endOld, lose, loseFirst, withdraw
  }

  final class Grant: Sendable {
    let number: Int
    init(_ number: Int) { self.number = number }
  }

  struct Failure: Error, Equatable { let number: Int }

  /// One line of jobs, of which the first may run; what was asked for, held and lost.
  struct World {
    struct Job {
      var ticket: AccessState<Grant>.Ticket
      /// What has become of it before it began.
      var verdict: String?
      var runsUnder: Grant?
    }

    var state: AccessState<Grant>
    let limit: Int
    var jobs: [Job] = []
    var asked: Grant?
    var held: (grant: Grant, jobs: Int)?
    var old: Grant?
    var made = 0

    init(limit: Int) {
      self.limit = limit
      state = AccessState(limit: limit)
    }
  }

  /// Fails if: the state lends access that it has not, keeps access that no job needs, or a job gets another's verdict.
  @Test(arguments: [1, 2]) func everyShortHistoryAgreesWithTheModel(limit: Int) {
    var (played, ran, late) = (0, 0, 0)
    func extend(_ world: World, _ depth: Int) {
      if depth == 0 { return }
      for event in Event.allCases {
        var next = world
        guard next.play(event) else { continue }
        played += 1
        if next.jobs.first?.runsUnder != nil, event == .go { ran += 1 }
        if event == .grantOld || event == .endOld { late += 1 }
        #expect(next.state.jobs == next.jobs.count)
        #expect(next.state.held === next.held?.grant)
        // What comes too late changes nothing, so what may follow is played without it.
        if ![.grantOld, .endOld, .goInVain].contains(event) { extend(next, depth - 1) }
      }
    }
    extend(World(limit: limit), 9)
    #expect(played > 50_000 && ran > 500 && late > 1_000, "\(played) \(ran) \(late)")
  }
}

extension AccessStateTests.World {
  typealias Grant = AccessStateTests.Grant
  typealias Failure = AccessStateTests.Failure

  /// Plays the event on the state and on the model; returns whether it can happen.
  mutating func play(_ event: AccessStateTests.Event) -> Bool {
    switch event {
    case .arrive:
      guard jobs.count < 3 else { return false }
      jobs.append(Job(ticket: state.arrive()))
    case .go: return go()
    case .goInVain: return goInVain()
    case .leaveFirst:
      guard let first = jobs.first, first.runsUnder == nil else { return false }
      leave(0)
    case .leaveLast:
      guard jobs.count > 1 else { return false }
      leave(jobs.count - 1)
    case .grant:
      guard let grant = asked else { return false }
      expect(state.grant(grant))
      expect(!state.grant(grant))
      held = (grant, 0)
      asked = nil
    case .grantOld:
      guard let old else { return false }
      expect(!state.grant(old))
    case .fail:
      guard let grant = asked else { return false }
      state.end(grant, Failure(number: grant.number))
      asked = nil
      mark("failed \(grant.number)")
    case .endOld:
      guard let old else { return false }
      state.end(old, Failure(number: -1))
    case .lose, .loseFirst:
      guard let (grant, _) = held else { return false }
      expect(state.lose(grant, failing: event == .loseFirst ? Failure(number: grant.number) : nil))
      if event == .loseFirst { mark("failed \(grant.number)") }
      (held, old) = (nil, grant)
    case .withdraw:
      guard !jobs.isEmpty, !jobs.allSatisfy({ $0.verdict == "withdrawn" }) else { return false }
      expect(state.withdraw() === asked)
      mark("withdrawn")
    }
    return true
  }

  /// What has become of the jobs that have not begun; of two verdicts, being withdrawn is told.
  private mutating func mark(_ verdict: String) {
    for index in jobs.indices where jobs[index].runsUnder == nil {
      if jobs[index].verdict != "withdrawn" { jobs[index].verdict = verdict }
    }
  }

  /// The first job goes on: it ends, or asks what is next.
  private mutating func go() -> Bool {
    guard let first = jobs.first else { return false }
    if let grant = first.runsUnder {
      let isLast = held?.grant === grant && held!.jobs >= limit
      expect(state.finish(grant) == isLast)
      if isLast { (held, old) = (nil, grant) }
      leave(0)
      return true
    }
    let number = made + 1
    switch state.next(first.ticket, new: Grant(number)) {
    case .late: expect(false)
    case .withdrawn: expect(first.verdict == "withdrawn")
    case .failed(let error):
      #expect(first.verdict == "failed \((error as? Failure)?.number ?? 0)")
      expect(first.verdict != nil)
    case .ask(let grant):
      expect(first.verdict == nil && asked == nil && held == nil && grant.number == number)
      made = number
      asked = grant
    case .wait(let grant): expect(first.verdict == nil && grant === asked)
    case .run(let grant, let isFirst):
      expect(first.verdict == nil && grant === held?.grant && isFirst == (held?.jobs == 0))
      expect((held?.jobs ?? 0) < limit)
      held?.jobs += 1
      jobs[0].runsUnder = grant
    }
    return true
  }

  /// The first job has no time to ask for access, and there is none; nothing changes, so that another may ask.
  private mutating func goInVain() -> Bool {
    guard let first = jobs.first, first.runsUnder == nil, first.verdict == nil, asked == nil, held == nil else {
      return false
    }
    if case .late = state.next(first.ticket, mayAsk: false, new: Grant(0)) {} else { expect(false) }
    var later = state
    if case .ask = later.next(first.ticket, new: Grant(0)) {} else { expect(false) }
    return true
  }

  private func expect(_ holds: Bool) { #expect(holds) }

  private mutating func leave(_ index: Int) {
    jobs.remove(at: index)
    let (asked, held) = (asked, held?.grant)
    if jobs.isEmpty { (self.asked, self.held, old) = (nil, nil, asked ?? held ?? old) }
    switch state.leave() {
    case .nothing: expect(!jobs.isEmpty || asked == nil && held == nil)
    case .abandon(let grant): expect(jobs.isEmpty && grant === asked)
    case .release(let grant): expect(jobs.isEmpty && grant === held)
    }
  }
}
