import CHeap
import Foundation

/// What is allocated, as the allocator itself counts it.
package enum Heap {
  package static var bytesInUse: Int? {
    let bytes = heap_bytes_in_use()
    return bytes < 0 ? nil : Int(bytes)
  }

  /// The bytes in use once nothing changes any more: tasks that have arrived may still be about to park.
  ///
  /// It blocks its thread for some milliseconds, because a task that sleeps allocates, and would never see rest.
  package static func bytesAtRest() async -> Int? {
    var (last, equal) = (bytesInUse, 0)
    for _ in 0..<100 where equal < 4 {
      await Task.yield()
      pause()
      let now = bytesInUse
      equal = now == last ? equal + 1 : 0
      last = now
    }
    return last
  }

  private static func pause() { usleep(2_000) }
}

extension Heap {
  /// How many bytes more there are after it, once nothing moves.
  package static func growth(isolation: isolated (any Actor)? = #isolation, _ body: () async -> Void) async -> Int? {
    guard let before = await bytesAtRest() else { return nil }
    await body()
    return await bytesAtRest().map { $0 - before }
  }
}
