import ArgumentParser

extension Context: ExpressibleByArgument {}

/// The options that both programs have.
package struct Options: ParsableArguments {
  @Flag(help: "Fewer depths and rounds: less than a minute in all.")
  package var quick = false

  @Flag(help: "Also a million jobs or callers, which takes a while and some gigabytes.")
  package var deep = false

  @Option(help: ArgumentHelp("Only workloads and candidates whose name contains this.", valueName: "text"))
  package var filter: String?

  @Option(help: "Only callers on the pool, or only callers on the main actor.")
  package var context: Context?

  @Option(help: ArgumentHelp("Write the results as JSON.", valueName: "file"))
  package var json: String?

  @Option(help: ArgumentHelp("Write the results as a page with charts.", valueName: "file"))
  package var html: String?

  @Option(
    help: ArgumentHelp("Measure nothing; say whether the file is a JSON report of this program.", valueName: "file"))
  package var check: String?

  package init() {}

  package func validate() throws {
    if deep && quick { throw ValidationError("--deep and --quick do not go together") }
  }

  package var depths: [Int] {
    quick ? [1, 100, 10_000] : [1, 10, 100, 1_000, 10_000, 100_000] + (deep ? [1_000_000] : [])
  }

  package var contexts: [Context] { context.map { [$0] } ?? Context.allCases }
}
