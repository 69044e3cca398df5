/// When a caller began to wait, in eight bytes.
///
/// Stored as nanoseconds of an ``AnyClock``.
@usableFromInline
package struct WaitStart: Sendable, Equatable {
  /// Unknown if 0, otherwise the moment plus one.
  private let raw: Int64

  /// Unknown: the caller did not have to wait, or nothing has been noted yet.
  @usableFromInline package init() { raw = 0 }

  /// A moment; one before the clock was created counts as the first.
  @usableFromInline package init(at moment: Duration) {
    raw = min(max(0, Int64(clamping: moment.attoseconds / WaitStart.perNanosecond)), .max - 1) + 1
  }

  /// The moment, if known.
  package var moment: Duration? {
    raw > 0 ? Duration(attoseconds: Int128(raw - 1) * WaitStart.perNanosecond) : nil
  }

  @usableFromInline package var isMoment: Bool { raw > 0 }

  /// Returns the time since then; `nil` if the moment is unknown.
  ///
  /// On a clock that was set back, it is zero, never less.
  package func elapsed(at now: Duration) -> Duration? { moment.map { max(.zero, now - $0) } }

  private static var perNanosecond: Int128 { 1_000_000_000 }
}
