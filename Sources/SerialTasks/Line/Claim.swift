/// A job's place on one key; its place among all jobs is the job itself.
///
/// Safe because `queue`, `sibling` and `isShared` never change after the job's arrival, and the line's lock protects the rest.
@usableFromInline
package final class Claim: Linked {
  let queue: JobQueue
  let sibling: Claim?
  /// The job, until it loses its places.
  @exclusivity(unchecked) fileprivate var owner: Job?

  @usableFromInline
  package init(on queue: JobQueue, sibling: Claim?) {
    self.queue = queue
    self.sibling = sibling
    super.init()
    note = Linked.isClaim
  }

  func give(to job: Job) { owner = job }

  func releaseJob() { owner = nil }
}

extension Linked {
  fileprivate static let isClaim: UInt8 = 1
  private static let shared: UInt8 = 2

  /// Whether it blocks no other shared place: a read on its key, and any job with keys among all jobs.
  final var isShared: Bool {
    get { note & Linked.shared != 0 }
    set { note = newValue ? note | Linked.shared : note & ~Linked.shared }
  }

  /// Safe because the queues of a line contain nothing else; a check takes 35 instructions at each place.
  final var claimant: Job {
    note & Linked.isClaim == 0 ? unsafeDowncast(self, to: Job.self) : unsafeDowncast(self, to: Claim.self).owner!
  }
}
