import Dispatch
import Synchronization

// Floors: the parts that a case is made of, written out where they are used, as a user would write them without this library.

enum Local {
  @TaskLocal static var number = 0
}

private final class Parts: Sendable {
  let mutex = Mutex(0)
}

func runFreeLineFloor(_ times: Int) async {
  let (parts, counter) = (Parts(), Counter())
  for _ in 0..<times {
    parts.mutex.withLock { $0 += 1 }
    await Local.$number.withValue(1) { await work(counter) }
    parts.mutex.withLock { $0 -= 1 }
  }
  precondition(counter.count == times)
}

func runLeadFloor(_ times: Int) async {
  for _ in 0..<times { _ = await Task { await operation() }.value }
}

func runJoinFloor(_ times: Int) async {
  await withTaskGroup { group in
    for _ in 0..<times { group.addTask { _ = await operation() } }
  }
}

func runSubmitFloor(_ times: Int) async {
  var tasks: [Task<Void, Never>] = []
  tasks.reserveCapacity(times)
  for _ in 0..<times { tasks.append(Task { _ = await operation() }) }
  for task in tasks { await task.value }
}

/// GCD's jobs cannot suspend.
@inline(never)
private func synchronousOperation() -> Int { 42 }

func runSubmitDetachedFloor(_ times: Int) async {
  let queue = DispatchQueue(label: "jobs")
  queue.suspend()
  for _ in 0..<times { queue.async { _ = synchronousOperation() } }
  queue.resume()
  await withUnsafeContinuation { done in queue.async { done.resume() } }
}

/// Each resumes the next: nothing is looked up, and nothing locked.
func runHandOverFloor(_ times: Int, handsOver: Bool) async {
  let chain = Chain(times)
  let callers = (0..<times).map { index in
    Task.immediate {
      await chain.park(at: index)
      _ = await operation()
      chain.resume(index + 1)
    }
  }
  guard handsOver else { return keep(chain) }
  chain.resume(0)
  for caller in callers { await caller.value }
}

private final class Chain: @unchecked Sendable {
  // Safe because each link is written when its task parks, and read by the one before it, after all have parked.
  private let links: UnsafeMutableBufferPointer<UnsafeContinuation<Void, Never>?>

  init(_ count: Int) {
    links = .allocate(capacity: count)
    links.initialize(repeating: nil)
  }

  deinit { links.deallocate() }

  func park(at index: Int) async { await withUnsafeContinuation { links[index] = $0 } }

  func resume(_ index: Int) { if index < links.count { links[index]!.resume() } }
}

/// Lives until the program ends.
func keep(_ object: AnyObject) { _ = Unmanaged.passRetained(object) }

/// Lets pass who waits for it, when so many have arrived.
final class Door: Sendable {
  private struct State {
    var missing: Int
    var continuation: UnsafeContinuation<Void, Never>?
  }

  private let state: Mutex<State>

  init(opensAfter count: Int) { state = Mutex(State(missing: count)) }

  func arrive() {
    let next = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      state.missing -= 1
      return state.missing == 0 ? state.continuation.take() : nil
    }
    next?.resume()
  }

  func pass() async {
    await withUnsafeContinuation { next in
      let isOpen = state.withLock { state in
        if state.missing > 0 { state.continuation = next }
        return state.missing <= 0
      }
      if isOpen { next.resume() }
    }
  }
}
