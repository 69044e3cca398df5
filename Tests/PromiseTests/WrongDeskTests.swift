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
    let findings = Findings()
    let cell = Task {
      do {
        try await Findings.$current.withValue(findings) { try await check(way) }
      } catch { findings.note("\(error)") }
      findings.ended.open()
    }
    // Whatever can go on goes on meanwhile. No clock is asked: on a slow machine, a slow cell would pass for one that waits.
    let patience = Task.detached(priority: .background) {
      for _ in 0..<1_500 where !findings.ended.isOpen {
        let behind = Gate()
        Task.detached(priority: .background) { behind.open() }
        await behind.pass()
      }
      if !findings.ended.isOpen { findings.note("It waits for ever.") }
    }
    await findings.ended.pass()
    cell.cancel()
    await patience.value
    return findings.found.entries
  }
}

/// What a cell of a wrong desk finds, in place of issues.
///
/// A class: a task-local closure is set with no type where Swift 6.3 optimises, and the process ends.
private final class Findings: Sendable {
  @TaskLocal static var current: Findings?

  let found = Log<String>()
  /// Opens when something is found, or nothing will be.
  let ended = Gate()

  func note(_ finding: String) {
    found(finding)
    ended.open()
  }
}

extension Trait where Self == IssueHandlingTrait {
  fileprivate static var findings: Self {
    .compactMapIssues { issue in
      guard let findings = Findings.current else { return issue }
      findings.note("\(issue)")
      return nil
    }
  }
}
