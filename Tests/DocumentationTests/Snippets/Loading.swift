// The blocks of the article on SwiftUI, and for those who come from loading flags.
import CoalescingTasks
import Foundation
import Observation
import SerialTasksTesting
import Testing

@MainActor @Observable
final class Loading<Reason: ReloadReason, Value: Sendable> {
  private(set) var value: Value?  // the newest result; a failure leaves it
  private(set) var problem: String?
  private var callers = 0
  var isLoading: Bool { callers > 0 }

  @ObservationIgnored private(set) var loader: Reloader<Reason, Value>!

  init(
    name: String,
    load: @escaping @Sendable @isolated(any) (Reason) async throws -> Value
  ) {
    loader = Reloader(name: name, load: load) { @MainActor [weak self] value in
      self?.value = value
      self?.problem = nil
    }
  }

  /// Returns when the result is shown, or when the calling task is cancelled.
  func reload(_ reason: Reason) async {
    callers += 1
    defer { callers -= 1 }
    do {
      _ = try await loader.reload(reason)
    } catch is CancellationError, JobRejection.withdrawn, JobRejection.closed {
      // The view is gone, or the user has logged out.
    } catch { problem = "\(error)" }
  }

  func cancel() { loader.cancel() }  // no value requested before is shown after this
}

nonisolated enum FeedReason: ReloadReason {
  case appeared, pulled, filterChanged

  var policy: SharingPolicy {
    switch self {
    case .appeared: .join  // a load that is running is good enough
    case .pulled: .rerun  // it may be too old: once more after it
    case .filterChanged: .supersede  // it is the wrong one
    }
  }
}

@MainActor @Observable final class FeedModel {
  var filter = "all"

  @ObservationIgnored private(set) var feed: Loading<FeedReason, [String]>!

  init(fetch: @escaping @Sendable (String) async throws -> [String]) {
    feed = Loading(name: "feed") { @MainActor [weak self] _ in
      guard let self else { throw CancellationError() }
      return try await fetch(filter)  // the filter of now
    }
  }
}

extension FeedModel {
  func load(_ reason: FeedReason) async { await feed.reload(reason) }
}

#if canImport(SwiftUI)
  import SwiftUI

  struct FeedView: View {
    @Bindable var model: FeedModel

    var body: some View {
      List(model.feed.value ?? [], id: \.self) { Text($0) }
        .overlay {
          if model.feed.value == nil, model.feed.isLoading { ProgressView() }
        }
        .safeAreaInset(edge: .bottom) {
          if let problem = model.feed.problem { Text(problem) }
        }
        .toolbar {
          Picker("Filter", selection: $model.filter) {
            Text("All").tag("all")
            Text("Mine").tag("mine")
          }
        }
        .task { await model.feed.reload(.appeared) }
        .refreshable { await Task { await model.feed.reload(.pulled) }.value }
        .onChange(of: model.filter) {
          Task { await model.feed.reload(.filterChanged) }
        }
    }
  }

  @MainActor func saveButton(_ line: SerialTaskExecutor, _ service: any NotesService, _ draft: Note) -> some View {
    Button("Save") {
      line.submit(name: "save") { [draft] in try await service.save(draft) }
    }
  }
#endif

/// What the article says, run.
@Suite(.watched, .oneOrder) struct LoadingTests {
  /// Fails if: a load that was replaced is shown, or one that runs is not seen to run.
  @Test @MainActor func theOldFilterIsNeverShown() async {
    let gate = Gate()
    let model = FeedModel { filter in
      if filter == "all" { await gate.pass() }
      return [filter]
    }
    let appeared = Task { await model.feed.reload(.appeared) }
    await gate.waitForArrivals()  // "all" is being loaded
    #expect(model.feed.isLoading)
    model.filter = "mine"
    await model.feed.reload(.filterChanged)
    #expect(model.feed.value == ["mine"])
    gate.open()  // now the older load returns
    await appeared.value
    #expect(model.feed.value == ["mine"] && !model.feed.isLoading)
  }

  /// Fails if: a failure empties the screen, or the next result leaves the problem.
  @Test @MainActor func aFailureLeavesWhatIsShown() async {
    let model = FeedModel { filter in
      if filter == "none" { throw NotesError.missing(1) }
      return [filter]
    }
    await model.feed.reload(.appeared)
    model.filter = "none"
    await model.feed.reload(.pulled)
    #expect(model.feed.value == ["all"] && model.feed.problem == "missing(1)")
    model.filter = "mine"
    await model.feed.reload(.filterChanged)
    #expect(model.feed.value == ["mine"] && model.feed.problem == nil)
  }

  /// Fails if: a view that leaves is a problem, or takes the load of another along.
  @Test @MainActor func aViewThatLeavesIsNoProblem() async {
    let gate = Gate()
    let model = FeedModel { filter in
      await gate.pass()
      return [filter]
    }
    let first = Task { await model.feed.reload(.appeared) }
    await gate.waitForArrivals()
    let second = Task.immediate { await model.feed.reload(.appeared) }
    first.cancel()
    await first.value
    #expect(model.feed.isLoading && model.feed.problem == nil)
    gate.open()
    await second.value
    #expect(model.feed.value == ["all"] && !model.feed.isLoading)
    await Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      await model.load(.pulled)
    }.value
    model.feed.cancel()
    #expect(model.feed.problem == nil)
  }

  /// Fails if: what was requested before `cancel()` is shown, or what is requested after it is not.
  @Test @MainActor func onlyWhatWasRequestedBeforeIsCancelled() async {
    let gate = Gate()
    let model = FeedModel { filter in
      if filter == "all" { await gate.pass() }
      return [filter]
    }
    let before = Task { await model.feed.reload(.appeared) }
    await gate.waitForArrivals()
    model.feed.cancel()
    await before.value
    model.filter = "mine"
    await model.feed.reload(.appeared)
    gate.open()
    await model.feed.reload(.pulled)
    #expect(model.feed.value == ["mine"] && model.feed.problem == nil)
  }

  /// Fails if: a load of a model that was released is shown, or goes on loading.
  @Test @MainActor func aReleasedModelLoadsNothing() async throws {
    var model: FeedModel? = FeedModel { [$0] }
    let loader = try #require(model?.feed.loader)
    model = nil
    await #expect(throws: CancellationError.self) { try await loader.reload(.pulled) }
  }
}
