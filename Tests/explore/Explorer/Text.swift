#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// The number with its thousands apart.
func grouped(_ number: Int) -> String {
  let digits = Array(String(number))
  return String(digits.indices.flatMap { (digits.count - $0) % 3 == 0 && $0 > 0 ? [" ", digits[$0]] : [digits[$0]] })
}

/// The text filled up to the width: after it, or before it where the width is negative.
func padded(_ text: String, _ width: Int) -> String {
  let gap = String(repeating: " ", count: max(0, abs(width) - text.count))
  return width < 0 ? gap + text : text + gap
}

func seconds(since start: ContinuousClock.Instant) -> String {
  let tenths = Int((ContinuousClock.now - start) / .milliseconds(100))
  return "\(tenths / 10).\(tenths % 10) s"
}

func complain(_ text: String) { write(to: 2, text + "\n") }

/// One line on the terminal that says how far things are; nothing where the output is not a terminal.
struct Progress {
  private let isShown = isatty(2) == 1

  func show(_ text: String) { if isShown { write(to: 2, "\r\u{1b}[K\(text)") } }

  func clear() { if isShown { write(to: 2, "\r\u{1b}[K") } }
}

private func write(to descriptor: Int32, _ text: String) {
  var text = text
  text.withUTF8 { _ = write(descriptor, $0.baseAddress, $0.count) }
}
