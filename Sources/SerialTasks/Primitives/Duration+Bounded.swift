extension Duration {
  /// From zero to a century: added to a moment of a clock, it does not overflow.
  @usableFromInline package var bounded: Duration { max(.zero, min(self, .seconds(100 * 365 * 86_400))) }
}
