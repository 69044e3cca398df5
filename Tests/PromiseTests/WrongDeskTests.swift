import SerialTasksTesting
import TestWatch
import Testing

/// The table itself: it names the promise that a wrong desk breaks.
@Suite(.watched, .findings) struct WrongDeskTests {
  /// Fails if: a promise has no line that the fault breaks.
  @Test(arguments: Fault.all) func isFound(_ fault: Fault, breaking promise: Promise) async {
    let ways = promise.sample { fault.shows(promise, of: $0) }
    #expect(!ways.isEmpty)
    for way in ways {
      // Its cell asks nothing where children cannot be told from copies.
      if promise == .deadlockInAChild, !childrenAreCertain { continue }
      let found = await promise.findings(way.with(fault))
      #expect(found != [], "\(way.testDescription)")
    }
  }

  /// Fails if: no desk breaks a promise, so that nothing says whether its cells can fail.
  @Test func eachPromiseIsBroken() { #expect(Set(Fault.all.map(\.1)) == Set(Promise.allCases)) }

  /// Fails if: what is found is found because of the wrapper.
  @Test(arguments: Promise.allCases) func aDeskWithoutAFaultKeeps(_ promise: Promise) async throws {
    for way in promise.sample({ _ in true }) { try await promise.check(way.with(.none)) }
  }
}

extension Promise {
  /// A way of each shape of those of which the promise is made.
  fileprivate func sample(_ isIncluded: (Way) -> Bool) -> [Way] {
    var shapes: Set<Int> = []
    return ways.filter { way in
      isIncluded(way) && shapes.insert(way.traits.intersection([.submits, .isShared, .isInLine]).rawValue).inserted
    }
  }

  /// Checks a cell until something is found; it may go on behind that, or wait for ever.
  fileprivate func findings(_ way: Way) async -> [String] {
    let (found, ended) = (Log<String>(), Gate())
    let note: @Sendable (String) -> Void = {
      found($0)
      ended.open()
    }
    let cell = Task {
      do { try await Findings.$note.withValue(note) { try await check(way) } } catch { note("\(error)") }
      ended.open()
    }
    // Whatever can go on goes on meanwhile. No clock is asked: on a slow machine, a slow cell would pass for one that waits.
    let patience = Task.detached(priority: .background) {
      for _ in 0..<1_500 where !ended.isOpen {
        let behind = Gate()
        Task.detached(priority: .background) { behind.open() }
        await behind.pass()
      }
      if !ended.isOpen { note("It waits for ever.") }
    }
    await ended.pass()
    cell.cancel()
    await patience.value
    return found.entries
  }
}

/// What cells of wrong desks find, in place of issues.
private enum Findings {
  @TaskLocal static var note: (@Sendable (String) -> Void)?
}

extension Trait where Self == IssueHandlingTrait {
  fileprivate static var findings: Self {
    .compactMapIssues { issue in
      guard let note = Findings.note else { return issue }
      note("\(issue)")
      return nil
    }
  }
}
