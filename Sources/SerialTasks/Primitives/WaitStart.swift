/// When a caller began to wait, in the eight bytes that a waiter has for it.
///
/// It is kept in nanoseconds of an ``AnyClock``.
@usableFromInline
package struct WaitStart: Sendable, Equatable {
  /// Unknown if 0, otherwise a moment plus one.
  private let raw: Int64

  /// Nothing is known: the caller did not have to wait, or nothing has been noted yet.
  @usableFromInline package init() { raw = 0 }

  /// A moment; one before the clock was made counts as the first.
  @usableFromInline package init(at moment: Duration) {
    raw = min(max(0, Int64(clamping: moment.attoseconds / WaitStart.perNanosecond)), .max - 1) + 1
  }

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
