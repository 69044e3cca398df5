import SerialTasks

/// An answer, and how its caller came by it.
struct Reply: Hashable, Sendable {
  enum Source: CaseIterable {
    /// Callers share nothing.
    case alone
    /// As the coalescer says it.
    case led, joined, prefetched
  }

  let profile: Profile
  let source: Source
}

extension Reply.Source {
  fileprivate init(_ source: CoalescedAnswer<Profile>.Source) {
    switch source {
    case .led: self = .led
    case .joined: self = .joined
    case .prefetched: self = .prefetched
    }
  }
}

/// Where screens ask for the profile.
///
/// Adding one is a type; who plays, checks and draws does not change.
protocol Desk: Sendable {
  /// Asks, and waits for the answer.
  func ask(_ caller: String) async throws -> Reply

  /// Asks for a caller that is still to come, and does not wait.
  func prefetch(_ caller: String)

  /// How many wait for an answer.
  func waiting() async -> Int

  /// How many answers are kept for a caller that is still to come.
  func stored() -> Int
}

/// Straight to the backend: each for itself.
struct PlainDesk: Desk {
  let backend: Backend

  func ask(_ caller: String) async throws -> Reply {
    Reply(profile: try await backend.profile(for: caller), source: .alone)
  }

  /// Does nothing: there is nowhere to keep an answer.
  func prefetch(_ caller: String) {}

  func waiting() async -> Int { await backend.running }

  func stored() -> Int { 0 }
}

/// Through a coalescer: one flight for all who ask at the same time.
struct CoalescingDesk: Desk {
  private let backend: Backend
  private let profiles = TaskCoalescer<Int, Profile>(name: "profiles")
  private let user = 7

  init(backend: Backend) { self.backend = backend }

  func ask(_ caller: String) async throws -> Reply {
    let answer = try await profiles.answer(for: user, name: caller) { [backend] in
      try await backend.profile(for: caller)
    }
    return Reply(profile: answer.value, source: Reply.Source(answer.source))
  }

  func prefetch(_ caller: String) {
    profiles.prefetch(user, expiresAfter: .seconds(60), name: caller) { [backend] in
      try await backend.profile(for: caller)
    }
  }

  func waiting() async -> Int { profiles.snapshot.waiting }

  func stored() -> Int { profiles.snapshot.stored }
}
