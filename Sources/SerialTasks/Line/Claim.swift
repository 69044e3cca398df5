/// A place of a job on one key; its place among all jobs is the job itself.
///
/// Its queue and the job's next claim never change, so they may be read without the lock. All else is reached only under the lock
/// of the line.
///
/// Safe because of that.
@usableFromInline
package final class Claim: Linked, @unchecked Sendable {
  let queue: JobQueue
  /// The job's next claim.
  let sibling: Claim?
  /// Safe because the job holds its claims, and each leaves its queue with it.
  @exclusivity(unchecked) fileprivate unowned(unsafe) var owner: Job!

  @usableFromInline
  package init(on queue: JobQueue, sibling: Claim?) {
    self.queue = queue
    self.sibling = sibling
    super.init()
    note = Linked.isClaim
  }

  /// Gives it, which is new, to a job, or to the one that replaces that.
  func give(to job: Job) { owner = job }
}

// What queues note of a place: a job, or a claim of one.

extension Linked {
  fileprivate static let isClaim: UInt8 = 1
  private static let ready: UInt8 = 2
  private static let shared: UInt8 = 4

  /// Whether no place before it is in its way.
  package final var isReady: Bool {
    get { note & Linked.ready != 0 }
    set { note = newValue ? note | Linked.ready : note & ~Linked.ready }
  }

  /// Whether it is in the way of no other that is shared, too: a read on its key, and any job of keys among all jobs.
  package final var isShared: Bool {
    get { note & Linked.shared != 0 }
    set { note = newValue ? note | Linked.shared : note & ~Linked.shared }
  }

  /// The job whose place it is.
  ///
  /// Safe because nothing else is in the queues of a line.
  package final var claimant: Job {
    note & Linked.isClaim == 0 ? unsafeDowncast(self, to: Job.self) : unsafeDowncast(self, to: Claim.self).owner
  }
}
