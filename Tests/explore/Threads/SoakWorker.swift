import SerialTasks

/// Plays one random act after the other, counts them, and says what it is at.
final class SoakWorker: SoakPlayer {
  enum Act: Int, CaseIterable {
    case enqueue, race, submit, submitAndCancel, nest, callItself, drain, logOut, transfer, transferAndCancel
  }

  let number: Int
  let lines: [SoakLine]
  let bank: SoakBank
  let rounds = Counter()
  private let act = Counter()
  private let tickets = Counter()
  private let seed: UInt64

  init(_ number: Int, lines: [SoakLine], bank: SoakBank, seed: UInt64) {
    self.number = number
    self.lines = lines
    self.bank = bank
    self.seed = SplitMix.mixed(seed &+ UInt64(number))
  }

  var priority: TaskPriority? { [.low, .medium, .high][number % 3] }

  /// What the worker is at.
  var present: String { Act(rawValue: act.value).map { "\($0)" } ?? "?" }

  /// Rises with every job that the worker asks for.
  func ticket() -> Int { tickets.up() }

  func work(while goesOn: @Sendable () -> Bool) async {
    var random = SplitMix(seed: seed)
    while goesOn() {
      let act = Act.allCases[random.below(Act.allCases.count)]
      self.act.set(act.rawValue)
      await play(act, &random)
      rounds.up()
    }
  }

  private func play(_ act: Act, _ random: inout SplitMix) async {
    let line = lines[random.below(lines.count)]
    let (yields, count, pause) = (random.below(3), random.within(1...8), random.below(300))
    switch act {
    case .enqueue: await enqueue(line, yields)
    case .race: await race(line, yields, pause)
    case .submit: await submit(line, count, yields, cancels: false)
    case .submitAndCancel: await submit(line, count, yields, cancels: true)
    case .nest: await nest(yields)
    case .callItself: await callItself(line)
    case .drain: await drain(line, pause)
    case .logOut: await logOut(count, yields, pause)
    case .transfer, .transferAndCancel:
      let first = random.below(SoakBank.accounts)
      let accounts = [first, (first + 1 + random.below(SoakBank.accounts - 1)) % SoakBank.accounts]
      if act == .transfer { await transfer(accounts, yields) } else { await cancelTransfer(accounts, yields, pause) }
    }
  }
}
