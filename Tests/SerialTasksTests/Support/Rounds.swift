/// How often a race is run on real threads.
enum Rounds {
  /// Returns as many rounds as are asked for, and a tenth of them under ThreadSanitizer.
  ///
  /// It makes everything ten times slower, and needs no luck: it sees a race in every round, lost or won.
  static func upTo(_ many: Int) -> Int {
    #if SERIALTASKS_TSAN
      many / 10
    #else
      many
    #endif
  }
}
