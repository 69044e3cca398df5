import Foundation
import SerialTasks
import Synchronization
import Testing

/// `submit` never runs the job inside itself, also when the turn is granted while it is still making the job's task.
@Suite(.watched) struct SubmitFromOneThreadTests {
  private final class Flag: Sendable {
    private let flag = Atomic(false)
    var isSet: Bool {
      get { flag.load(ordering: .acquiring) }
      set { flag.store(newValue, ordering: .releasing) }
    }
  }

  private final class Hits: Sendable {
    private let count = Atomic(0)
    func add() { count.add(1, ordering: .relaxed) }
    var value: Int { count.load(ordering: .relaxed) }
  }

  /// One thread submits without a pause, another ends the jobs: the line is now free, now busy, now just between.
  ///
  /// Fails if: the task that hands on the turn resumes a waiter whose task is being made. (Then some hundred of 200 000.)
  @Test func theJobNeverRunsOnTheSubmittersStack() async throws {
    let executor = SerialTaskExecutor()
    let isInside = Flag()
    let hits = Hits()
    let submitted = Gate()
    Thread.detachNewThread {
      let me = UInt(bitPattern: Thread.current.hash)
      for round in 0..<Effort.number(short: 50_000, full: 200_000) {
        isInside.isSet = true
        executor.submit { if isInside.isSet, Self.isThread(me) { hits.add() } }
        isInside.isSet = false
        if round.isMultiple(of: 64) { Cores.spin(while: executor.snapshot.waiting > 2) }
      }
      submitted.open()
    }
    await submitted.pass()
    try await executor.drain()
    #expect(hits.value == 0)
  }

  private static func isThread(_ hash: UInt) -> Bool { UInt(bitPattern: Thread.current.hash) == hash }

  /// The same with no luck: an event holds `submit` between the place and the task until the turn has been granted.
  @Test func alsoWhenTheTurnIsGrantedMeanwhile() async throws {
    let box = Log<SerialTaskExecutor>()
    let running = Gate()
    let executor = SerialTaskExecutor { event in
      guard case .waiting = event.kind else { return }
      running.open()
      Cores.spin(while: box.entries[0].snapshot.waiting > 0)
    }
    box(executor)
    executor.submit { await running.pass() }
    await running.waitForArrivals()
    let isInside = Flag()
    let hits = Hits()
    let submitted = Gate()
    Thread.detachNewThread {
      let me = UInt(bitPattern: Thread.current.hash)
      isInside.isSet = true
      executor.submit { if isInside.isSet, Self.isThread(me) { hits.add() } }
      isInside.isSet = false
      submitted.open()
    }
    await submitted.pass()
    try await executor.drain()
    #expect(hits.value == 0)
  }
}
