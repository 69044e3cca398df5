import CoalescingTasks
import SerialTasksFenced

/// Loads, a renewed value, shared operations and fenced keys on real threads, all with handlers of events.
///
/// It keeps no account: of these, that is exact only on one thread. It is there for ThreadSanitizer, and to see that all end.
final class SoakSharing: SoakPlayer {
  let rounds = Counter()
  private let seed: UInt64

  init(seed: UInt64) { self.seed = SplitMix.mixed(seed ^ 0x5a1e) }

  private struct Reason: ReloadReason {
    let policy: SharingPolicy
  }

  /// Grants access at once, and says now and then that another process asks.
  private struct Engine: ExclusiveAccess {
    private let numbers = Counter()

    func withAccess(
      to key: Int, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
    ) async throws { try await Fence.lend(number: UInt64(numbers.up()), check: {}, to: turn) }
  }

  /// What one round works on; the next one has others.
  private struct Parts: Sendable {
    let reloader: Reloader<Reason, Int>
    let value: RenewingValue<Int>
    let flights: TaskCoalescer<Int, Int>
    let fenced: FencedSerialTaskExecutor<Int>
    let repository = CoalescingTaskExecutor<Int>(onEvent: { _ = $0.keys })

    init(_ random: inout SplitMix) {
      let (steps, fails) = (random.below(3), random.within(2...20))
      let runs = Counter()
      let operation: @Sendable () async throws -> Int = {
        let run = runs.up()
        for _ in 0..<steps { await Task.yield() }
        if run % fails == 0 { throw CancellationError() }
        return run
      }
      let count = Exclusive(0)
      reloader = Reloader { _ in
        try await operation()
      } apply: {
        count.value += $0
      } onEvent: {
        _ = $0.waited
      }
      value = RenewingValue { _ in
        Renewed(try await operation(), validFor: .microseconds(50))
      } onEvent: {
        _ = $0.waited
      }
      flights = TaskCoalescer(onEvent: { _ = $0.keys })
      fenced = FencedSerialTaskExecutor(access: Engine(), onEvent: { _ = $0.keys })
      self.operation = operation
    }

    let operation: @Sendable () async throws -> Int
  }

  func work(while goesOn: @Sendable () -> Bool) async {
    var random = SplitMix(seed: seed)
    while goesOn() {
      let parts = Parts(&random)
      await withTaskGroup { group in
        for _ in 0..<random.within(2...6) {
          let (seed, isCancelled) = (random.next(), random.once(in: 4))
          group.addTask {
            let caller = Task { await self.call(parts, SplitMix(seed: seed)) }
            if isCancelled {
              for _ in 0..<seed % 50 { await Task.yield() }
              caller.cancel()
            }
            await caller.value
          }
        }
      }
      if random.once(in: 2) { await end(parts, within: random.once(in: 2) ? .zero : .seconds(60)) }
      rounds.up()
    }
  }

  private func call(_ parts: Parts, _ random: SplitMix) async {
    var random = random
    for _ in 0..<random.within(1...10) {
      let key = random.below(3)
      let limit: Duration? = random.once(in: 3) ? .microseconds(random.below(200)) : nil
      let policy = [SharingPolicy.join, .rerun, .supersede][random.below(3)]
      switch random.below(14) {
      case 0: _ = try? await parts.reloader.reload(Reason(policy: policy))
      case 1: parts.reloader.request(Reason(policy: policy))
      case 2: _ = try? await parts.value.value()
      case 3: _ = try? await parts.value.value(insteadOf: random.below(20))
      case 4: _ = try? await parts.flights.value(for: key, policy: policy, parts.operation)
      case 5: parts.flights.prefetch(key, expiresAfter: .microseconds(20), parts.operation)
      case 6: parts.flights.value(for: key, policy: policy, parts.operation) { _ in }
      case 7: _ = try? await parts.repository.read(key, waitingAtMost: limit, parts.operation)
      case 8: parts.repository.submitRead(key, parts.operation).whenComplete { _ in }
      case 9:
        try? await parts.repository.write(touching: [key], waitingAtMost: limit) { _ = try? await parts.operation() }
      case 10: parts.repository.submitWrite(latest: key, touching: [key], after: .microseconds(20)) {}
      case 11: _ = try? await parts.fenced.enqueue(for: key, waitingAtMost: limit) { _ in try await parts.operation() }
      case 12: parts.fenced.submit(for: key) { _ in _ = try await parts.operation() }
      default: interrupt(parts, key, &random)
      }
    }
  }

  private func interrupt(_ parts: Parts, _ key: Int, _ random: inout SplitMix) {
    switch random.below(7) {
    case 0: parts.reloader.cancel()
    case 1: parts.value.clear()
    case 2: parts.flights.cancel(key)
    case 3: parts.flights.invalidate(key)
    case 4: parts.repository.cancelAll()
    case 5: parts.value.replace(with: Renewed(0, validFor: .seconds(1)))
    default: parts.fenced.cancelAll()
    }
  }

  private func end(_ parts: Parts, within limit: Duration) async {
    let all: [any Drainable] = [parts.reloader, parts.value, parts.flights, parts.repository, parts.fenced]
    _ = await all.shutDown(within: limit)
  }
}
