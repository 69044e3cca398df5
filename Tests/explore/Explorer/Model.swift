/// A small system of tasks whose schedules are explored.
///
/// A model is a page: `init` draws a system from ``World/random``, `start` spawns its tasks, which note what happens by name
/// and check what they can see, and `check` looks at what is left when all of them have ended.
protocol Model: SendableMetatype {
  /// What `--model` calls it.
  static var name: String { get }
  /// What it explores, in one line.
  static var about: String { get }
  /// What a campaign must meet at least once, or it has shown nothing: see ``World/meet(_:)``.
  static var mustMeet: [String] { get }

  init(_ world: World)
  func start()
  func check()
}

extension Model {
  static var mustMeet: [String] { [] }
}

/// The random programs, of each type.
let programs: [any Model.Type] = [
  ProgramModel<SerialSubject>.self,
  ProgramModel<KeyedSubject>.self,
  ProgramModel<RepositorySubject>.self,
  ProgramModel<FencedSubject>.self,
  ProgramModel<FlightSubject>.self,
  ProgramModel<LoadSubject>.self,
  ProgramModel<RenewalSubject>.self,
  FocusedModel<DraftPrograms>.self,
  FocusedModel<DetachedPrograms>.self,
  FocusedModel<PausePrograms>.self,
  FocusedModel<PolicyPrograms>.self,
]

/// All models, in the order in which they run.
let models: [any Model.Type] =
  programs + [
    DeadlockProgramsModel.self,
    OrdersModel.self,
    FencedProcessesModel.self,
  ]
