import Foundation

@main
enum Notes {
  static func main() async {
    let status = await Program(console: .standard).run(Array(CommandLine.arguments.dropFirst()))
    exit(status.rawValue)
  }
}
