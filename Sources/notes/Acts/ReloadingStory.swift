import SerialTasks

/// Why the demonstration's screen loads.
enum ReloadingTrigger: ReloadReason {
  case firstDisplay, foreground, restoration, pull, settings

  var policy: ReloadPolicy {
    switch self {
    case .firstDisplay, .foreground, .restoration: .join
    case .pull: .rerun
    case .settings: .supersede
    }
  }
}

/// What happens to a screen while it loads, with what must have come of it after each step.
struct ReloadingStory {
  enum Action {
    case trigger(ReloadingTrigger)
    case leave
    /// The backend answers its fetch of this number, now or when it comes.
    case answer(Int)
  }

  /// How much was asked of the backend, and how often its answer was shown.
  struct Count: Equatable {
    var fetches = 0
    var applications = 0
  }

  struct Step {
    let action: Action
    let naive: Count
    let owned: Count
  }

  let title: String
  let steps: [Step]

  private init(_ title: String, _ steps: [(Action, naive: (Int, Int), owned: (Int, Int))]) {
    self.title = title
    self.steps = steps.map { action, naive, owned in
      Step(
        action: action, naive: Count(fetches: naive.0, applications: naive.1),
        owned: Count(fetches: owned.0, applications: owned.1))
    }
  }

  static let all = [
    ReloadingStory(
      "cold start: display, foreground and restoration all ask",
      [
        (.trigger(.firstDisplay), (1, 0), (1, 0)), (.trigger(.foreground), (2, 0), (1, 0)),
        (.trigger(.restoration), (3, 0), (1, 0)), (.answer(1), (3, 1), (1, 1)), (.answer(2), (3, 2), (1, 1)),
        (.answer(3), (3, 3), (1, 1)),
      ]),
    ReloadingStory(
      "away and back quickly, the first answer comes last",
      [
        (.trigger(.firstDisplay), (1, 0), (1, 0)), (.leave, (1, 0), (1, 0)),
        (.trigger(.firstDisplay), (2, 0), (2, 0)), (.answer(2), (2, 1), (2, 1)), (.answer(1), (2, 2), (2, 1)),
      ]),
    ReloadingStory(
      "pull to refresh during the first load, whose answer is slow",
      [
        (.trigger(.firstDisplay), (1, 0), (1, 0)), (.trigger(.pull), (2, 0), (1, 0)), (.answer(2), (2, 1), (1, 0)),
        (.answer(1), (2, 2), (2, 2)),
      ]),
    ReloadingStory(
      "background in the middle of a request, then foreground",
      [
        (.trigger(.firstDisplay), (1, 0), (1, 0)), (.trigger(.foreground), (2, 0), (1, 0)),
        (.answer(1), (2, 1), (1, 1)), (.answer(2), (2, 2), (1, 1)),
      ]),
    ReloadingStory(
      "restoration is interrupted by new settings, and answered last",
      [
        (.trigger(.restoration), (1, 0), (1, 0)), (.trigger(.settings), (2, 0), (2, 0)),
        (.answer(2), (2, 1), (2, 1)), (.answer(1), (2, 2), (2, 1)),
      ]),
  ]
}
