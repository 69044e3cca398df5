import ArgumentParser
import Comparing

/// What it costs when many want the same: for this library, and for what people use instead.
@main
struct CoalescingComparison: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coalescing",
    abstract: "Time per caller when many want the same value, and when reads and writes are mixed.",
    discussion: """
      lead: one caller at a time. join: that many callers of one operation. keys: that many callers, each of its own key. \
      leave: all callers of one operation cancelled. mix: reads and writes of 1 000 callers.
      """)

  @OptionGroup var options: Options

  func run() async throws {
    let comparison = Comparison(
      program: "coalescing", title: "What it costs when many want the same", options: options)
    try await comparison.run(Grid(options: options).contests)
  }
}
