// The blocks of the article on logging out.
import CoalescingTasks
import Synchronization

enum LoggingOutUse {
  struct Account: Sendable {
    struct Shown: ReloadReason { var policy: SharingPolicy { .join } }

    let token: RenewingValue<Token>
    let notes: CoalescingTaskExecutor<String>
    let profiles: TaskCoalescer<String, Profile>
    let feed: Reloader<Shown, String>
    let store: any TokenStore

    func logOut() async {
      let parts: [any Drainable] = [token, notes, profiles, feed]
      await parts.shutDown(within: .zero)  // after this line, nothing of any of them runs
      await store.save(nil)  // so nothing is stored after this line
    }
  }

  /// Where the task of a log-out is kept.
  final class Sessions: Sendable {
    private let last = Mutex<Task<Void, Never>?>(nil)

    var loggingOut: Task<Void, Never>? {
      get { last.withLock { $0 } }
      set { last.withLock { $0 = newValue } }
    }
  }

  static func lastWords(_ notes: CoalescingTaskExecutor<String>) async {
    await notes.shutDown(within: .seconds(5))
  }

  static func fromInside(_ account: Account, _ login: some Login, _ sessions: Sessions) {
    account.notes.submitWrite(name: "sync") {
      do {
        _ = try await login.refresh(nil)
      } catch is LoginNeeded {
        // Not awaited here, because it waits for this job.
        sessions.loggingOut = Task { await account.logOut() }
      }
    }
  }
}
