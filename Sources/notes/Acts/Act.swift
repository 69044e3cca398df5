/// One part of the demonstration.
protocol Act: Sendable {
  /// Its name for `--act`.
  var name: String { get }
  var title: String { get }

  /// Plays the act and draws it.
  ///
  /// - Parameter page: The page to draw on.
  /// - Returns: Whether everything went right.
  func play(on page: inout Page) async -> Bool
}
