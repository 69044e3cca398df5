/// What a call has to do with while it runs, and whether it must be alone there.
///
/// Two calls must wait for each other if they have to do with the same thing and one of them must be alone there. It follows
/// from what a way promises and from nothing that the way does, so that a way that names too little or too much is found out.
struct Claim: Hashable {
  enum Thing: Hashable {
    case note(Int)
    /// All notes together.
    case list
  }

  let thing: Thing
  let isAlone: Bool
}

extension Claim {
  static func all(of call: Call, _ promise: Way.Promise) -> [Claim] {
    switch (promise, call.note) {
    case (.nothing, _): []
    case (.oneAtATime, _): [alone(.list)]
    case (.readsTogether, _): [Claim(thing: .list, isAlone: !call.isRead)]
    case (.byNoteAndList, nil): [together(.list)]
    case (.byNoteAndList, let id?): call.isRead ? [together(.note(id))] : [alone(.note(id)), alone(.list)]
    case (.byNote, nil): [alone(.list)]
    case (.byNote, let id?): [Claim(thing: .note(id), isAlone: !call.isRead), together(.list)]
    }
  }

  private static func alone(_ thing: Thing) -> Claim { Claim(thing: thing, isAlone: true) }
  private static func together(_ thing: Thing) -> Claim { Claim(thing: thing, isAlone: false) }
}
