/// What happened in one schedule, by name and in order.
struct Trace {
  struct Event {
    let who: String
    let what: StaticString
    let detail: String
  }

  private(set) var events: [Event] = []
  /// Equal for equal traces, on every machine.
  private(set) var hash: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func reset() {
    events.removeAll(keepingCapacity: true)
    hash = 0xcbf2_9ce4_8422_2325
  }

  mutating func append(_ who: String, _ what: StaticString, _ detail: String) {
    events.append(Event(who: who, what: what, detail: detail))
    for byte in who.utf8 { mix(byte) }
    what.withUTF8Buffer { for byte in $0 { mix(byte) } }
    for byte in detail.utf8 { mix(byte) }
    mix(0)
  }

  private mutating func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
}

extension Trace: CustomStringConvertible {
  var description: String {
    events.enumerated().map { index, event in
      let number = String(index + 1)
      let detail = event.detail.isEmpty ? "" : " \(event.detail)"
      return "\(String(repeating: " ", count: max(0, 5 - number.count)))\(number)  \(event.who) \(event.what)\(detail)"
    }.joined(separator: "\n")
  }
}
