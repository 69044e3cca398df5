import ArgumentParser
import Comparing

/// What a job costs, by how many wait: for this library, and for what people use instead.
@main
struct QueueDepth: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "queue-depth",
    abstract: "Time per job, and bytes per waiting job, by how many wait.",
    discussion: """
      enqueue: that many callers at once. submit: that many jobs from one synchronous loop. \
      leave: all waiting callers cancelled.
      """)

  @Flag(help: "Also a million jobs, which takes a while and some gigabytes.")
  var deep = false

  @OptionGroup var options: Options

  func validate() throws {
    if deep && options.quick { throw ValidationError("--deep and --quick do not go together") }
  }

  func run() async throws {
    let comparison = Comparison(
      program: "queue-depth", title: "What a job costs, by how many wait", options: options)
    try await comparison.run(Grid(options: options, deep: deep).contests)
  }
}
