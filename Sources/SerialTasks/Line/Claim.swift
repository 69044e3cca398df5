/// A place of a job that it does not have by itself: in the queue of one of its further keys, or behind a job that touches every key.
///
/// What it is of and the job's next claim never change, so they may be read without the lock. All else is reached only under the lock of
/// the line.
///
/// Safe because of that.
@usableFromInline
package final class Claim: Linked, @unchecked Sendable {
  /// The key's queue; `nil` for a place behind a job that touches every key.
  let queue: KeyQueue?
  /// The job's next claim.
  let sibling: Claim?
  /// Safe because the job holds its claims, and each leaves its queue with it.
  @exclusivity(unchecked) unowned(unsafe) var job: Job!
  /// Those with whom it stands behind the same job, if it does.
  @exclusivity(unchecked) var ownGroup: Group?

  @usableFromInline
  init(on queue: KeyQueue?, sibling: Claim?) {
    self.queue = queue
    self.sibling = sibling
    super.init()
    note = Linked.isClaim
  }
}

// What queues note of a place: a job, or a claim of one.

extension Linked {
  fileprivate static let isClaim: UInt8 = 1
  private static let isReady: UInt8 = 2

  /// Whether no place before it is in its way.
  package final var isReady: Bool {
    get { note & Linked.isReady != 0 }
    set { note = newValue ? note | Linked.isReady : note & ~Linked.isReady }
  }

  /// Whether it is the job itself, and no claim of it.
  final var isJob: Bool { note & Linked.isClaim == 0 }

  /// The job whose place it is.
  ///
  /// Safe because nothing else is in the queues of a line.
  package final var claimant: Job {
    isJob ? unsafeDowncast(self, to: Job.self) : unsafeDowncast(self, to: Claim.self).job
  }
}
