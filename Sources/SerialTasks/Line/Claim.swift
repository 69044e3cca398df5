/// The queues in which a job has a place, besides that of all jobs.
///
/// The job is its own place among all jobs, and on its only key; on several keys, each place is a ``Claim``.
@usableFromInline
package enum TouchedQueues: Sendable {
  case none
  case one(JobQueue)
  case several(Claim)
}

/// A job's place on one of several keys.
///
/// Safe because `queue` and `sibling` never change, and the line's lock protects the rest.
@usableFromInline
package final class Claim: TwiceLinked, @unchecked Sendable {
  let queue: JobQueue
  let sibling: Claim?
  /// The job, until it loses its places.
  @exclusivity(unchecked) fileprivate var owner: Job?

  @usableFromInline
  package init(on queue: JobQueue, sibling: Claim?) {
    self.queue = queue
    self.sibling = sibling
    super.init()
    note = TwiceLinked.isClaim
  }
}

extension TwiceLinked {
  fileprivate static let isClaim: UInt8 = 1

  // Valid while the job has its places. Safe because the queues of a line contain nothing else; a check takes 35 instructions.
  @inline(__always)
  final var unretainedClaimant: Unmanaged<Job> {
    if note & TwiceLinked.isClaim == 0 { return .passUnretained(unsafeDowncast(self, to: Job.self)) }
    return .passUnretained(unsafeDowncast(self, to: Claim.self).owner!)
  }

  package final var claimant: Job { unretainedClaimant.takeUnretainedValue() }

  /// Notes whose place it is; a job that is its own place knows it.
  final func belong(to job: Job?) {
    if note & TwiceLinked.isClaim != 0 { unsafeDowncast(self, to: Claim.self).owner = job }
  }

  // One bit for the place among all jobs, and one for that on a key.

  /// Whether it blocks no other shared place: a read on its key, and any job with keys among all jobs.
  @inline(__always)
  final func isShared(onKey: Bool) -> Bool { note & (onKey ? 4 : 2) != 0 }

  final func share(onKey: Bool) { note |= onKey ? 4 : 2 }

  @inline(__always)
  final func isReady(onKey: Bool) -> Bool { ready & (onKey ? 2 : 1) != 0 }

  @inline(__always)
  final func setReady(onKey: Bool, _ isReady: Bool) {
    let bit: UInt8 = onKey ? 2 : 1
    ready = isReady ? ready | bit : ready & ~bit
  }
}
