// The queues of keys.

extension LineState {
  /// Notes a queue that was made for a key.
  @usableFromInline
  package mutating func adopt(_ queue: KeyQueue) { table!.inUse.append(queue) }

  /// Returns the queue of jobs that touch no key.
  @usableFromInline
  package mutating func queueWithoutKey() -> KeyQueue {
    if let keyless { return keyless }
    let queue = KeyQueue(isKeyless: true)
    table!.keyless = queue
    return queue
  }

  /// Lets callers of `drain` go on if no job of the key is left, and forgets its queue, which is released with the effects.
  mutating func endDrains(of queue: KeyQueue, _ effects: inout Effects) {
    guard queue.isIdle else { return }
    if !queue.drainers.isEmpty { effects.resumeAll(&queue.drainers) }
    if forgetIfUnused(queue) { effects.released.append(queue) }
  }

  @discardableResult
  mutating func forgetIfUnused(_ queue: KeyQueue) -> Bool {
    guard queue.isIdle, queue.expected == 0, !queue.isKeyless else { return false }
    table!.inUse.remove(queue)
    table!.forget(queue)
    return true
  }

  /// Hands all jobs to the closure that touch keys and have no whole job ahead of them; none twice.
  func forEachOpen(_ body: (Job) -> Void) {
    table?.inUse.forEach { queue in
      queue.places.forEach { place in if place.isJob, place.claimant.behind == nil { body(place.claimant) } }
    }
  }

  /// Returns the jobs of the queue, or all jobs, in the order of their places.
  func jobs(of queue: KeyQueue?) -> [Job] {
    var jobs: [Job] = []
    if let queue {
      queue.places.forEach { jobs.append($0.claimant) }
      return jobs
    }
    table?.forEachQueue { queue in
      queue.places.forEach { place in if place.isJob { jobs.append(place.claimant) } }
    }
    let isSorted = jobs.isEmpty
    whole.places.forEach { place in if place.isJob { jobs.append(place.claimant) } }
    return isSorted ? jobs : jobs.sorted { $0.place < $1.place }
  }
}
