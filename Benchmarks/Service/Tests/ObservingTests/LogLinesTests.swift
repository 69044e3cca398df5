import Observing
import Testing

@Suite struct LogLinesTests {
  /// Fails if: what a client has sent begins a line of its own, or is more than text where the log is read.
  @Test func anEventIsOneLine() {
    let event = "why=one\n2026 critical: \"two\"\r\u{1B}[2J\u{85}\u{2028}\u{202E}ä 👩\n"
    #expect(LogLines.line(event) == #"why=one\n2026 critical: "two"\r\u{1B}[2J\u{0085}\u{2028}\u{202E}ä 👩"# + "\n")
  }
}
