/// When a caller began to wait, by an ``AnyClock``, in eight bytes.
@usableFromInline
package struct WaitStart: Sendable, Equatable {
  /// 0 if unknown, otherwise the nanoseconds plus one.
  private let raw: Int64

  /// Unknown: the caller did not wait, or nothing has been noted yet.
  @usableFromInline package init() { raw = 0 }

  /// A moment, not before the clock was created.
  @usableFromInline package init(at moment: Duration) {
    raw = min(max(0, Int64(clamping: moment.attoseconds / WaitStart.perNanosecond)), .max - 1) + 1
  }

  package var moment: Duration? {
    raw > 0 ? Duration(attoseconds: Int128(raw - 1) * WaitStart.perNanosecond) : nil
  }

  @usableFromInline package var isMoment: Bool { raw > 0 }

  /// Returns the time since then, if known; zero on a clock that was set back.
  package func elapsed(at now: Duration) -> Duration? { moment.map { max(.zero, now - $0) } }

  private static var perNanosecond: Int128 { 1_000_000_000 }
}
