/// One thing that the demonstration shows.
protocol Act: Sendable {
  /// What `--act` calls it.
  var name: String { get }
  var title: String { get }

  /// Plays it, and writes what came of it.
  ///
  /// - Parameter page: What to write on.
  /// - Returns: Whether it came out right.
  func play(on page: inout Page) async -> Bool
}
