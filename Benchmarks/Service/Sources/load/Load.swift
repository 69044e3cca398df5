import ArgumentParser

/// Plays the clients of the bank.
@main struct Load: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "load", abstract: "Plays the clients of the bank, and looks at what is in its database afterwards.",
    subcommands: [Ways.self, Fleet.self, Each.self, Check.self], defaultSubcommand: Ways.self)
}
