/// One note, as it is kept in one file.
struct Note: Codable, Hashable, Sendable {
  var id: Int
  var text: String
  /// How often it was updated.
  ///
  /// An update that was lost or done twice shows here also when the text does not tell.
  var edits = 0
}
