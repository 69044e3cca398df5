// The blocks of the article on logging out.
import SerialTasks

enum LoggingOutUse {
  struct Account: Sendable {
    struct Shown: ReloadReason { var policy: ReloadPolicy { .join } }

    let token: RenewingValue<Token>
    let notes: CoalescingTaskExecutor<String>
    let profiles: TaskCoalescer<String, Profile>
    let feed: Reloader<Shown, String>
    let store: any TokenStore

    func logOut() async throws {
      let parts: [any Drainable] = [token, notes, profiles, feed]
      for part in parts { part.close() }  // nothing is accepted any more
      for part in parts { part.cancelAll() }  // rejects what waits; what runs is to stop
      for part in parts { try await part.drain() }  // after this line, nothing of any runs
      await store.save(nil)  // so nothing is stored after this line
    }
  }

  static func lastWords(_ notes: CoalescingTaskExecutor<String>) async {
    await notes.shutDown(within: .seconds(5))
  }

  static func uninterrupted(_ account: Account) async throws {
    try await Task { try await account.logOut() }.value
  }

  #if compiler(>=6.4)
    @available(macOS 27, iOS 27, tvOS 27, watchOS 27, visionOS 27, *)
    static func shielded(_ account: Account) async throws {
      try await withTaskCancellationShield { try await account.logOut() }
    }

    @available(macOS 27, iOS 27, tvOS 27, watchOS 27, visionOS 27, *)
    static func shieldedDrain(_ notes: CoalescingTaskExecutor<String>) async throws {
      try await withTaskCancellationShield { try await notes.drain() }
    }
  #endif

  static func fromInside(_ account: Account, _ login: some Login) {
    account.notes.submitWrite(name: "sync") {
      do {
        _ = try await login.refresh(nil)
      } catch is LoginNeeded {
        Task { try await account.logOut() }  // not awaited here: it waits for this job
      }
    }
  }
}
