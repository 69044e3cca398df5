import Foundation

@main
enum Notes {
  static func main() async {
    let program = Program(console: .standard)
    let interruptSignal = InterruptSignal(to: program)
    let status = await program.run(Array(CommandLine.arguments.dropFirst()))
    withExtendedLifetime(interruptSignal) {}
    exit(status.rawValue)
  }
}
