/// Why the program stops before it plays, and with which status.
struct Refusal: Error, Hashable {
  let status: Status
  let lines: [String]

  init(_ status: Status, lines: [String]) {
    self.status = status
    self.lines = lines
  }

  init(_ status: Status, _ line: String) { self.init(status, lines: [line]) }
}
