/// When a caller began to wait, in the eight bytes that a waiter has for it.
///
/// A job that gets a place knows how many stand ahead of it, and the clock is read only after the lock was released; so until
/// then its number stands here. A moment is kept in nanoseconds of an ``AnyClock``.
@usableFromInline
package struct WaitStart: Sendable, Equatable {
  /// Unknown if 0, above that a moment plus one, below how many stand ahead plus one.
  private let raw: Int64

  /// Nothing is known: the caller did not have to wait, or nothing has been noted yet.
  @usableFromInline package init() { raw = 0 }

  @usableFromInline package init(ahead: Int) { raw = -Int64(ahead) - 1 }

  /// A moment; one before the clock was made counts as the first.
  @usableFromInline package init(at moment: Duration) {
    raw = min(max(0, Int64(clamping: moment.attoseconds / WaitStart.perNanosecond)), .max - 1) + 1
  }

  /// How many stood ahead, if the clock was not read yet.
  package var ahead: Int? { raw < 0 ? Int(-raw - 1) : nil }

  /// The moment, if it is known.
  package var moment: Duration? {
    raw > 0 ? Duration(attoseconds: Int128(raw - 1) * WaitStart.perNanosecond) : nil
  }

  @usableFromInline package var isMoment: Bool { raw > 0 }

  /// Returns how much time has passed since then; `nil` if the moment is not known.
  ///
  /// On a clock that was set back, it is zero and never less.
  package func elapsed(at now: Duration) -> Duration? { moment.map { max(.zero, now - $0) } }

  private static var perNanosecond: Int128 { 1_000_000_000 }
}
