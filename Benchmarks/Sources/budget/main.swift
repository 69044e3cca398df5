// Prints each line of the library's budget with its ratio, and whether it holds on this machine. It never fails: the budget is
// that of a quiet machine, and what must not change unnoticed on any machine is counted (`Benchmarks/instructions`).
//
//   swift run --package-path Benchmarks -c release budget [--quick] [PART OF A TITLE]

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

let usage = "usage: budget [--quick] [PART OF A TITLE]"
var arguments = CommandLine.arguments.dropFirst()
let isQuick = arguments.first == "--quick"
if isQuick { arguments.removeFirst() }
let wanted = arguments.popFirst()
if arguments.isEmpty, wanted == "--help" || wanted == "-h" {
  print(usage)
  exit(0)
}
guard arguments.isEmpty, wanted?.hasPrefix("-") != true else {
  let given = CommandLine.arguments.dropFirst().joined(separator: " ")
  let words = Array("budget: not understood: \(given)\n\(usage)\n".utf8)
  _ = write(2, words, words.count)
  exit(64)
}

let calls = isQuick ? 20_000 : 200_000
let deep = isQuick ? 20_000 : 100_000
let rounds = isQuick ? 3 : 9

let budget: [BudgetLine] = [
  BudgetLine(
    title: "enqueue on a free line, pool", floorTitle: "task-local bind + 2 mutex sections", limit: 1.4,
    subject: { await freeLine(isolation: nil, calls: calls) }, floor: { await freeParts(isolation: nil, calls: calls) }),
  BudgetLine(
    title: "enqueue on a free line, main actor", floorTitle: "task-local bind + 2 mutex sections", limit: 1.4,
    subject: { await freeLine(isolation: MainActor.shared, calls: calls) },
    floor: { await freeParts(isolation: MainActor.shared, calls: calls) }),
  BudgetLine(
    title: "enqueue for a free key, pool", floorTitle: "enqueue on a free line", limit: 2.2,
    subject: { await freeKey(isolation: nil, calls: calls) }, floor: { await freeLine(isolation: nil, calls: calls) }),
  BudgetLine(
    title: "1 000 callers at once", floorTitle: "unordered task group", limit: 1.0,
    subject: { await callers(1_000) }, floor: { await group(1_000) }),
  BudgetLine(
    title: "\(deep) callers at once", floorTitle: "unordered task group", limit: 1.0,
    subject: { await callers(deep) }, floor: { await group(deep) }),
  BudgetLine(
    title: "one of \(deep) callers", floorTitle: "one of 100 callers", limit: 1.5,
    subject: { await callers(deep) }, floor: { await callers(100) }),
  BudgetLine(
    title: "hand-over between parked callers", floorTitle: "bare chain of continuations", limit: 1.2,
    subject: { await handovers(10_000) }, floor: { await chain(10_000) }),
  BudgetLine(
    title: "submit, 1 000 waiting", floorTitle: "bare Task { } and its value", limit: 1.3,
    subject: { await submitted(1_000) }, floor: { await bareTasks(1_000) }),
  BudgetLine(
    title: "submit, 20 000 waiting", floorTitle: "bare Task { } and its value", limit: 1.3,
    subject: { await submitted(20_000) }, floor: { await bareTasks(20_000) }),
  BudgetLine(
    title: "submit, 20 000 waiting", floorTitle: "tasks that await the one before",
    subject: { await submitted(20_000) }, floor: { await taskChain(20_000) }),
  BudgetLine(
    title: "submitDetached, 1 000 waiting", floorTitle: "GCD, async on a serial queue", limit: 1.6,
    subject: { await submittedDetached(1_000) }, floor: { await dispatched(1_000) }),
  BudgetLine(
    title: "submitDetached, 20 000 waiting", floorTitle: "GCD, async on a serial queue", limit: 1.6,
    subject: { await submittedDetached(20_000) }, floor: { await dispatched(20_000) }),
  BudgetLine(
    title: "submitDetached, 20 000 waiting", floorTitle: "AsyncStream of closures, and one task",
    subject: { await submittedDetached(20_000) }, floor: { await streamed(20_000) }),
  BudgetLine(
    title: "leaving, \(deep) waiting", floorTitle: "leaving, 1 000 waiting", limit: 1.5,
    subject: { await leaving(deep) }, floor: { await leaving(1_000) }),
  BudgetLine(
    title: "a write leaves, \(deep / 5) reads wait", floorTitle: "a write leaves, 1 000 reads wait", limit: 1.5,
    subject: { await leavingBetweenReads(deep / 5) }, floor: { await leavingBetweenReads(1_000) }),
  // What it would cost to raise what is ahead for a caller whose task is raised while it waits.
  BudgetLine(
    title: "parked with an escalation handler", floorTitle: "parked with a cancellation handler", limit: 1.25,
    subject: { await parked(10_000, escalates: true) }, floor: { await parked(10_000, escalates: false) }),
  BudgetLine(
    title: "leading a flight, alone", floorTitle: "Task { }.value", limit: 1.1,
    subject: { await leading(calls / 4) }, floor: { await taskValues(calls / 4) }),
  BudgetLine(
    title: "leading a flight, alone", floorTitle: "an actor with a dictionary of tasks",
    subject: { await leading(calls / 4) }, floor: { await leadingByHand(calls / 4) }),
  BudgetLine(
    title: "one of 10 joiners", floorTitle: "one child of an unordered group", limit: 1.5,
    subject: { await repeated(100, joiners) }, floor: { await repeated(100, group) }),
  BudgetLine(
    title: "one of 1 000 joiners", floorTitle: "one child of an unordered group", limit: 1.5,
    subject: { await joiners(1_000) }, floor: { await group(1_000) }),
  BudgetLine(
    title: "one of 10 000 joiners", floorTitle: "one child of an unordered group", limit: 1.5,
    subject: { await joiners(10_000) }, floor: { await group(10_000) }),
  BudgetLine(
    title: "one of 1 000 joiners", floorTitle: "an actor with a dictionary of tasks",
    subject: { await joiners(1_000) }, floor: { await joinersByHand(1_000) }),
  BudgetLine(
    title: "one of \(deep) joiners", floorTitle: "one child of an unordered group", limit: 1.5,
    subject: { await joiners(deep) }, floor: { await group(deep) }),
  BudgetLine(
    title: "one of 1 000 joiners", floorTitle: "one child that parks and is resumed", limit: 1.25,
    subject: { await joiners(1_000) }, floor: { await parkedChildren(1_000) }),
  BudgetLine(
    title: "one of 10 000 joiners", floorTitle: "one child that parks and is resumed", limit: 1.25,
    subject: { await joiners(10_000) }, floor: { await parkedChildren(10_000) }),
  BudgetLine(
    title: "10 000 keys at once", floorTitle: "10 000 children, a Task { }.value each", limit: 1.1,
    subject: { await keys(10_000) }, floor: { await groupOfTasks(10_000) }),
  BudgetLine(
    title: "a read of a free repository", floorTitle: "leading a flight, alone", limit: 1.5,
    subject: { await freeReads(calls / 4) }, floor: { await leading(calls / 4) }),
  BudgetLine(
    title: "a write to a free repository", floorTitle: "task-local bind + 2 mutex sections", limit: 1.4,
    subject: { await freeWrites(isolation: nil, calls: calls) },
    floor: { await freeParts(isolation: nil, calls: calls) }),
  BudgetLine(
    title: "enqueue for two free keys", floorTitle: "enqueue for one free key", limit: 3,
    subject: { await freeKeySets(2, calls / 4) }, floor: { await freeKeySets(1, calls / 4) }),
  BudgetLine(
    title: "enqueue for eight free keys", floorTitle: "enqueue for two free keys", limit: 4,
    subject: { await freeKeySets(8, calls / 4) }, floor: { await freeKeySets(2, calls / 4) }),
  BudgetLine(
    title: "enqueue for a free key, another runs", floorTitle: "enqueue for a free key", limit: 3,
    subject: { await freeKeysBesideAnother(calls / 4) }, floor: { await freeKey(isolation: nil, calls: calls / 4) }),
  BudgetLine(
    title: "a value that is valid", floorTitle: "reading the clock + 1 mutex section", limit: 1.25,
    subject: { await keptReads(calls) }, floor: { await keptParts(calls) }),
  BudgetLine(
    title: "a value that is valid", floorTitle: "1 mutex section, and no clock", limit: 10,
    subject: { await keptReads(calls) }, floor: { await mutexReads(calls) }),
  BudgetLine(
    title: "enqueue on a free line, in a job", floorTitle: "enqueue on a free line", limit: 1.25,
    subject: { await freeLineInside(calls: calls) }, floor: { await freeLine(isolation: nil, calls: calls) }),
  BudgetLine(
    title: "waiting for a line, in a job", floorTitle: "waiting for a line, after that job", limit: 1.5,
    subject: { await waiting(10_000, holding: true) }, floor: { await waiting(10_000, holding: false) }),
  BudgetLine(
    title: "an urgent write, 8 000 reads wait", floorTitle: "an urgent write, 1 000 reads wait", limit: 2,
    subject: { await urgentWrite(behind: 8_000, areReads: true) },
    floor: { await urgentWrite(behind: 1_000, areReads: true) }),
  BudgetLine(
    title: "an urgent write, 8 000 writes wait", floorTitle: "an urgent write, 1 000 writes wait", limit: 2,
    subject: { await urgentWrite(behind: 8_000, areReads: false) },
    floor: { await urgentWrite(behind: 1_000, areReads: false) }),
  BudgetLine(
    title: "an urgent drain(), 8 000 writes wait", floorTitle: "an urgent drain(), 1 000 writes wait", limit: 2,
    subject: { await urgentDrain(behind: 8_000) }, floor: { await urgentDrain(behind: 1_000) }),
  BudgetLine(
    title: "awaiting one of 8 000 replaced writes", floorTitle: "one of 1 000", limit: 2,
    subject: { await replacedHandles(8_000) }, floor: { await replacedHandles(1_000) }),
  BudgetLine(
    title: "one of 4 000 jobs waits for a key", floorTitle: "one of 500", limit: 2,
    subject: { await nestedWaiters(4_000) }, floor: { await nestedWaiters(500) }),
  BudgetLine(
    title: "reporting one of 1 000 long turns", floorTitle: "one of 125", limit: 2,
    subject: { await longTurns(1_000) }, floor: { await longTurns(125) }),
]

func padded(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: max(0, width - text.count)) }
func rounded(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }

print(padded("", 38), padded("ns", 9), padded("compared with", 36), padded("ns", 9), padded("ratio", 22), "budget")
for line in budget + contended + searches where wanted.map({ line.title.contains($0) }) ?? true {
  let finding = await measure(line, rounds: rounds)
  let ratios = finding.ratios
  print(
    padded(line.title, 38), padded("\(Int(median(finding.subject)))", 9), padded(line.floorTitle, 36),
    padded("\(Int(median(finding.floor)))", 9),
    padded("\(rounded(median(ratios))) (\(rounded(ratios.min()!))…\(rounded(ratios.max()!)))", 22),
    finding.verdict)
}
if wanted.map({ "bytes".contains($0) }) ?? true { await printBytes() }
if wanted == nil || wanted == "mix" { await printMix(rounds: isQuick ? 3 : 9) }
