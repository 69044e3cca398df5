import Testing

@testable import SerialTasks

/// The queue of time limits against a sorted list, over every short history.
@Suite struct TimeLimitQueueTests {
  enum Step: CaseIterable {
    case insert1, insert2, insert3, removeFirst, removeLast, removeMiddle, pass1, pass2, pass3

    static func deadline(_ step: Step) -> Duration? {
      switch step {
      case .insert1, .pass1: .seconds(1)
      case .insert2, .pass2: .seconds(2)
      case .insert3, .pass3: .seconds(3)
      case .removeFirst, .removeLast, .removeMiddle: nil
      }
    }
  }

  /// One history: the queue, and the limits that go on, in the order in which they came.
  struct Run {
    var queue = TimeLimitQueue()
    var model: [TimeLimit] = []

    mutating func take(_ step: Step) {
      switch step {
      case .insert1, .insert2, .insert3: insert(Step.deadline(step)!)
      case .removeFirst: remove(at: 0)
      case .removeMiddle: remove(at: model.count / 2)
      case .removeLast: remove(at: model.count - 1)
      case .pass1, .pass2, .pass3: pass(Step.deadline(step)!)
      }
      check()
    }

    private mutating func insert(_ deadline: Duration) {
      let limit = TimeLimit(deadline: deadline) {}
      let isEarliest = model.allSatisfy { deadline < $0.deadline }
      let change = queue.insert(limit)
      model.append(limit)
      #expect((change.started != nil) == isEarliest, "a task is started for the earliest, and for no other")
      if let started = change.started { #expect(started == queue.sleeper) }
    }

    private mutating func remove(at index: Int) {
      guard model.indices.contains(index) else { return }
      let limit = model.remove(at: index)
      #expect(queue.remove(limit).started == nil)
      #expect(queue.remove(limit).started == nil, "to end a limit twice does nothing")
    }

    private mutating func pass(_ now: Duration) {
      #expect(queue.takePassed(at: now, for: queue.sleeper + 1).passed.isEmpty, "only the last task takes anything out")
      let (passed, next) = queue.takePassed(at: now, for: queue.sleeper)
      #expect(
        Set(passed.map(ObjectIdentifier.init)) == Set(model.filter { $0.deadline <= now }.map(ObjectIdentifier.init)))
      #expect(passed.map(\.deadline) == passed.map(\.deadline).sorted(), "the earliest first")
      model.removeAll { $0.deadline <= now }
      #expect(next == model.map(\.deadline).min())
    }

    private func check() {
      #expect(Set(queue.limits.map(ObjectIdentifier.init)) == Set(model.map(ObjectIdentifier.init)))
      for (index, limit) in queue.limits.enumerated() {
        #expect(limit.index == index)
        #expect(queue.limits[(index - 1) / 2].deadline <= limit.deadline || index == 0, "the earliest is not in front")
      }
      #expect((queue.wakesAt == nil) == model.isEmpty, "a task sleeps if and only if there is a limit")
      if let wakesAt = queue.wakesAt { #expect(model.allSatisfy { wakesAt <= $0.deadline }, "it wakes too late") }
    }
  }

  /// Fails if: a limit is lost, taken out early or twice, or the task that sleeps wakes after one has passed.
  @Test func everyShortHistoryAgreesWithTheModel() {
    func explore(_ steps: [Step]) {
      var run = Run()
      for step in steps { run.take(step) }
      guard steps.count < 4 else { return }
      for step in Step.allCases { explore(steps + [step]) }
    }
    explore([])
  }

  /// Tasks are made after the unlock, so the one that is not needed any more may be made known last.
  ///
  /// Fails if: it is kept in place of the one that is needed, or one is kept when no limit is left, so that it is never cancelled.
  @Test func onlyTheLastTaskIsKept() {
    var queue = TimeLimitQueue()
    let (late, early) = (TimeLimit(deadline: .seconds(2)) {}, TimeLimit(deadline: .seconds(1)) {})
    let (old, new) = (Task<Void, Never> {}, Task<Void, Never> {})
    let first = queue.insert(late).started!
    let second = queue.insert(early).started!
    let kept = [queue.keep(new, second), queue.keep(old, first)]
    #expect(kept == [true, false])
    #expect(queue.remove(early).cancelled == nil, "the task wakes as planned, and sleeps again")
    #expect(queue.remove(late).cancelled == new)
    let keptLater = [queue.keep(new, second), queue.keep(new, queue.sleeper)]
    #expect(keptLater == [false, false])
  }

  /// Fails if: the task that sleeps for a later limit is not cancelled when another is started.
  @Test func anEarlierLimitTakesTheTasksPlace() {
    var queue = TimeLimitQueue()
    let task = Task<Void, Never> {}
    let first = queue.insert(TimeLimit(deadline: .seconds(2)) {})
    let isKept = queue.keep(task, first.started!)
    let second = queue.insert(TimeLimit(deadline: .seconds(1)) {})
    #expect(isKept && first.cancelled == nil && second.cancelled == task && second.started != nil)
    let (none, both) = (
      queue.takePassed(at: .seconds(3), for: first.started!), queue.takePassed(at: .seconds(3), for: second.started!)
    )
    #expect(none.passed.isEmpty && both.passed.count == 2)
  }

  /// Many limits, in an order that no short history has.
  ///
  /// Fails if: a removal from the middle breaks the order of the heap.
  @Test func manyLimits() {
    var run = Run()
    var draw: UInt64 = 7
    for _ in 0..<600 {
      let steps: [Step] = [.insert1, .insert2, .insert3, .insert3, .removeMiddle, .removeFirst]
      draw = draw &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      run.take(steps[Int(draw >> 33) % steps.count])
    }
    run.take(.pass1)
    run.take(.pass2)
    run.take(.pass3)
    #expect(run.queue.limits.isEmpty)
  }
}
