@testable import notes

/// Scenes made by hand, to judge and to draw without playing; times in milliseconds.
enum Scenes {
  static func visit(
    _ caller: String, asked: Int = 0, ended: Int, _ ending: Visit.Ending, cancelledAt: Int? = nil
  ) -> Visit {
    Visit(
      caller: caller, asked: .milliseconds(asked), ended: .milliseconds(ended), ending: ending,
      cancelledAt: cancelledAt.map { .milliseconds($0) })
  }

  static func answered(_ source: Reply.Source, call: Int = 1) -> Visit.Ending {
    .answered(Reply(profile: Profile(name: "Ann", call: call), source: source))
  }

  static func call(_ number: Int, _ caller: String, ended: Int? = 300, wasCancelled: Bool = false) -> BackendCall {
    BackendCall(
      number: number, caller: caller, began: .zero, ended: ended.map { .milliseconds($0) }, wasCancelled: wasCancelled)
  }

  //   home   |===============|    its own
  //   feed   |---------------|
  //   menu   |---------------|
  static let together = Scene(
    visits: [
      visit("home", ended: 300, answered(.led)), visit("feed", ended: 300, answered(.joined)),
      visit("menu", ended: 300, answered(.joined)),
    ],
    calls: [call(1, "home")])

  //   home   |======X             leaves
  //   feed   |---------------|
  static let leaving = Scene(
    visits: [
      visit("home", ended: 100, .left, cancelledAt: 100), visit("feed", ended: 300, answered(.joined)),
    ],
    calls: [call(1, "home")])

  //   list   |===============|    and waits for nothing
  //   page                     o
  static let prefetch = Scene(
    visits: [visit("list", ended: 0, .prefetched), visit("page", asked: 400, ended: 400, answered(.prefetched))],
    calls: [call(1, "list")])

  static let alone = Scene(
    visits: [visit("home", ended: 300, answered(.alone)), visit("feed", ended: 300, answered(.alone, call: 2))],
    calls: [call(1, "home"), call(2, "feed")])

  static let mustOfTogether = SceneVerdict.Must(calls: 1, sources: [.led: 1, .joined: 2])
  static let mustOfLeaving = SceneVerdict.Must(calls: 1, sources: [.joined: 1])
  static let mustOfPrefetch = SceneVerdict.Must(calls: 1, sources: [.prefetched: 1])
  static let mustOfAlone = SceneVerdict.Must(calls: 2, sources: [.alone: 2])
}
