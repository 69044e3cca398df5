import Synchronization

/// A semaphore whose waiters can be cancelled, as people write it: no markers, no priorities, no limits, nothing to look at.
package final class Semaphore: Sendable {
  private struct State: Sendable {
    var isFree = true
    var waiters: [(number: Int, continuation: UnsafeContinuation<Bool, Never>)] = []
    var first = 0
    var numbers = 0
    var cancelled: Set<Int> = []
  }

  private let state = Mutex(State())

  package init() {}

  package func wait() async throws {
    let number = state.withLock { state -> Int in
      state.numbers += 1
      return state.numbers
    }
    let isGranted = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let decided = state.withLock { state -> Bool? in
          if state.cancelled.remove(number) != nil { return false }
          if state.isFree {
            state.isFree = false
            return true
          }
          state.waiters.append((number, continuation))
          return nil
        }
        if let decided { continuation.resume(returning: decided) }
      }
    } onCancel: {
      leave(number)
    }
    if !isGranted { throw CancellationError() }
  }

  private func leave(_ number: Int) {
    let continuation = state.withLock { state -> UnsafeContinuation<Bool, Never>? in
      guard let index = state.waiters[state.first...].firstIndex(where: { $0.number == number }) else {
        state.cancelled.insert(number)
        return nil
      }
      return state.waiters.remove(at: index).continuation
    }
    continuation?.resume(returning: false)
  }

  package func signal() {
    let next = state.withLock { state -> UnsafeContinuation<Bool, Never>? in
      guard state.first < state.waiters.count else {
        state.isFree = true
        return nil
      }
      defer {
        state.first += 1
        if state.first > 64, state.first > state.waiters.count / 2 {
          state.waiters.removeFirst(state.first)
          state.first = 0
        }
      }
      return state.waiters[state.first].continuation
    }
    next?.resume(returning: true)
  }
}

/// A semaphore for each key, which is never removed.
package final class Semaphores: Sendable {
  private let semaphores = Mutex<[Int: Semaphore]>([:])

  package init() {}

  package subscript(key: Int) -> Semaphore {
    semaphores.withLock { semaphores in
      if let semaphore = semaphores[key] { return semaphore }
      let semaphore = Semaphore()
      semaphores[key] = semaphore
      return semaphore
    }
  }
}
