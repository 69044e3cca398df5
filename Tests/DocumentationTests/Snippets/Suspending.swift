// The blocks of the article on what to do when the app goes to the background.
import CoalescingTasks

struct Draft: Hashable, Sendable {
  var id: Int
  var text: String
}

/// A file that must not be held while the app is suspended.
protocol DraftStore: Sendable {
  func save(_ draft: Draft) async throws
  func open() async
  func close() async
}

@MainActor final class Drafts {
  let notes: CoalescingTaskExecutor<Int>
  private let phases = SerialTaskExecutor(name: "phases")
  private let store: any DraftStore
  private var leaving: SubmittedJob<Void>?

  init(store: any DraftStore, clock: some Clock<Duration> = ContinuousClock()) {
    self.store = store
    notes = CoalescingTaskExecutor(name: "notes", clock: clock)
  }

  /// On each keystroke.
  func typed(_ draft: Draft) {
    notes.submitWrite(
      latest: draft.id, touching: [draft.id], after: .milliseconds(300), atMost: .seconds(2)
    ) { [store] in try await store.save(draft) }
  }

  /// Cancel the job when the time is up.
  func enterBackground() -> SubmittedJob<Void> {
    let job = phases.submit(name: "leave") { [notes, store] in
      try? await notes.drain()  // what waits is written, and drafts at once
      // In a task of its own, because this one may have been cancelled.
      try await Task { try await notes.pauseAndWait() }.value
      await store.close()  // nothing runs, and nothing begins
    }
    leaving = job
    return job
  }

  func enterForeground() {
    leaving?.cancel()  // no need to write it all now
    phases.submit(name: "return") { [notes, store] in
      await store.open()
      notes.resume()
    }
  }
}

@MainActor final class Editor {
  let notes: CoalescingTaskExecutor<Int>
  private let store: any DraftStore
  private var draft: Draft

  init(_ draft: Draft, store: any DraftStore, clock: some Clock<Duration>) {
    self.draft = draft
    self.store = store
    notes = CoalescingTaskExecutor(name: "notes", clock: clock)
  }

  func typed(_ text: String) {
    draft.text = text
    save(after: .milliseconds(300))
  }

  private func save(after pause: Duration) {
    notes.submitWrite(latest: draft.id, touching: [draft.id], after: pause) {
      let draft = self.draft  // the text of now
      do { try await self.store.save(draft) } catch {
        // A newer text has its own save.
        if !Task.isCancelled, self.draft == draft { self.save(after: .seconds(5)) }
        throw error
      }
    }
  }
}

#if canImport(UIKit) && !os(watchOS)
  import UIKit

  @MainActor final class SuspendingApp {
    let drafts: Drafts

    init(drafts: Drafts) { self.drafts = drafts }

    func sceneDidEnterBackground(_ scene: UIScene) {
      let job = drafts.enterBackground()
      let id = UIApplication.shared.beginBackgroundTask { job.cancel() }
      Task {
        _ = await job.result
        UIApplication.shared.endBackgroundTask(id)
      }
    }

    func sceneWillEnterForeground(_ scene: UIScene) { drafts.enterForeground() }
  }
#endif
