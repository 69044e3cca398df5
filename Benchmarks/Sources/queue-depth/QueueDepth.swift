import ArgumentParser
import Comparing

/// What a job costs, by how many wait: for this library, and for what people use instead.
@main
struct QueueDepth: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "queue-depth",
    abstract: "Time per job, and bytes per waiting job, by how many wait.",
    discussion: Guide.queueDepth.help)

  @OptionGroup var options: Options

  func run() async throws {
    let comparison = Comparison(
      program: "queue-depth", title: "What a job costs, by how many wait", guide: .queueDepth, options: options)
    try await comparison.run(Grid(options: options).contests)
  }
}
