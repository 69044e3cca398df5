import Comparing

extension Guide {
  /// What the workloads of the program mean.
  static let queueDepth = Guide(
    [
      .init(
        "enqueue", "That many callers at once; each waits for its job, which runs in its place.",
        conclusion: """
          A line that is flat costs the same for each job however many wait; one that rises gets slower with every job that \
          waits. Compare with what the jobs do: a request over a network takes a thousand times as long and more.
          """),
      .init(
        "submit", "That many jobs from one synchronous loop that waits for none of them, until the last has run.",
        conclusion: """
          Ways that are missing have no ordered way in from code that cannot await, such as a button or a delegate: a task \
          for each job comes in any order.
          """),
      .init(
        "keyed", "That many callers at once on a hundred keys; those of one key run one after another.",
        conclusion: """
          The library has an executor with keys. All others are a dictionary with a queue for each key, which no key ever \
          leaves.
          """),
      .init(
        "leave", "That many callers wait for their turn and are all cancelled, the last first.",
        conclusion: """
          A line that rises searches for each caller that leaves. Ways that are missing keep a cancelled caller until its \
          turn comes.
          """),
    ], library: [Library.title, DetachedLibrary.title])
}
