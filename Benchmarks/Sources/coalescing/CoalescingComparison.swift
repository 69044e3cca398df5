import ArgumentParser
import Comparing

/// What it costs when many want the same: for this library, and for what people use instead.
@main
struct CoalescingComparison: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coalescing",
    abstract: "Time per caller when many want the same value, and when reads and writes are mixed.",
    discussion: Guide.coalescing.help)

  @OptionGroup var options: Options

  func run() async throws {
    let comparison = Comparison(
      program: "coalescing", title: "What it costs, and saves, when many want the same",
      guide: .coalescing, options: options)
    try await comparison.run(Grid(options: options).contests)
  }
}
