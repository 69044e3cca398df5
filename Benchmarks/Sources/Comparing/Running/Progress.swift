import Foundation

/// Says on the error stream what is being measured: in place in a terminal, else a line for each setting.
package struct Progress: Sendable {
  let isTerminal = isatty(STDERR_FILENO) == 1
  let total: Int

  func begin(_ setting: Setting, number: Int) {
    if !isTerminal { write("[\(number)/\(total)] \(setting.title) · depth \(setting.depth.grouped)\n") }
  }

  func show(_ setting: Setting, number: Int, candidate: String, round: Int, rounds: Int) {
    guard isTerminal else { return }
    let text =
      "[\(number)/\(total)] \(setting.title) · \(setting.depth.grouped) · round \(round)/\(rounds) · \(candidate)"
    write("\r\u{1B}[K\(text.prefix(width - 1))")
  }

  func end() { if isTerminal { write("\r\u{1B}[K") } }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }

  /// What does not fit into a row would not be overwritten by the next.
  private var width: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 1 else { return 80 }
    return Int(size.ws_col)
  }
}
