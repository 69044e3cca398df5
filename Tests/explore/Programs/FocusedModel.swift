/// Programs that are mostly about one thing.
protocol FocusedPrograms: SendableMetatype {
  associatedtype Played: Subject
  static var name: String { get }
  static var about: String { get }
  static var mustMeet: [String] { get }
  static var focus: Program.Focus { get }
}

/// Plays such programs.
struct FocusedModel<Programs: FocusedPrograms>: Model {
  static var name: String { Programs.name }
  static var about: String { Programs.about }
  static var mustMeet: [String] { Programs.mustMeet }

  private let model: ProgramModel<Programs.Played>

  init(_ world: World) {
    var surface = Programs.Played.surface
    surface.focus = Programs.focus
    model = ProgramModel(world, surface)
  }

  func start() { model.start() }
  func check() { model.check() }
}

enum DraftPrograms: FocusedPrograms {
  typealias Played = RepositorySubject
  static let name = "draft-programs"
  static let about = "random programs over writes that wait for newer ones, and over what ends that"
  static let focus = Program.Focus.drafts
  static let mustMeet = ["a draft", "a draft is replaced", "a replacement is replaced", "a replacement is cancelled"]
}

enum PausePrograms: FocusedPrograms {
  typealias Played = RepositorySubject
  static let name = "pause-programs"
  static let about = "random programs over pauses: what they put back, what goes on in them, and what ends them"
  static let focus = Program.Focus.pauses
  static let mustMeet = [
    "a pause that waits", "a pause is ended for one who waits", "two wait for a job, and one leaves",
  ]
}

enum PolicyPrograms: FocusedPrograms {
  typealias Played = FlightSubject
  static let name = "policy-programs"
  static let about = "random programs over shared operations that follow and replace others"
  static let focus = Program.Focus.policies
  static let mustMeet = [
    "joined", "followed", "answered by a newer one", "never begun", "left", "withdrawn", "rejected",
  ]
}

enum DetachedPrograms: FocusedPrograms {
  typealias Played = KeyedSubject
  static let name = "detached-programs"
  static let about = "random programs over detached jobs, which run in one task where they follow each other"
  static let focus = Program.Focus.detached
  static let mustMeet = ["one task for two jobs"]
}
