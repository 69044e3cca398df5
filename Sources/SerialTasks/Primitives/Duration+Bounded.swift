extension Duration {
  /// The duration, limited to between zero and a century, which can be added to any moment of a clock without overflow.
  @usableFromInline package var bounded: Duration { max(.zero, min(self, .seconds(100 * 365 * 86_400))) }
}
