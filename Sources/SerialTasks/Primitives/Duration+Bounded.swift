extension Duration {
  /// The duration itself, kept between zero and a century.
  ///
  /// That is more than any wait lasts, and can be added to any moment of a clock; a longer one could overflow.
  @usableFromInline package var bounded: Duration { max(.zero, min(self, .seconds(100 * 365 * 86_400))) }
}
