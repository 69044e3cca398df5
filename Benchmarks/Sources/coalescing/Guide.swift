import Comparing
import Mix

extension Guide {
  /// What the workloads of the program mean.
  static let coalescing = Guide(
    [
      .init(
        "lead", "One caller after the other, so that no operation runs that a caller could join.",
        conclusion: """
          This is what merging costs where there is nothing to merge. Compare it with the operation: a request over \
          a network takes a thousand times as long and more.
          """),
      .init(
        "join",
        "That many callers of one key at once, and one operation for all of them, which ends when all have come.",
        conclusion: """
          This is what each caller costs that joins. Operations that are not made are saved in addition, and are not in \
          the figures.
          """),
      .init(
        "keys", "That many callers at once, each of a key of its own, so that nothing can be shared.",
        conclusion: "This is the worst case for merging: all of its cost and nothing of its use."),
      .init(
        "leave", "That many callers of one operation, all of whom are cancelled.",
        conclusion: "A screen that goes away, or a client that hangs up, should not wait, nor make others wait."),
      .init(
        "mix",
        """
        1 000 callers at once: nine in ten read one of 100 keys, every key as often as any other, and one in ten writes.
        """,
        conclusion: """
          Where equal reads are rare and writes are many, there is little to merge: a write that touches everything stands \
          between nearly all equal reads. Say what a write touches (touching:), and reads merge across the writes of other \
          keys. With a backend that takes no time there is nothing to gain; from 100 µs on, the calls that are not made, \
          and those that need not wait, decide.
          """),
      .init(
        "hot",
        """
        1 000 callers at once, as keys are mostly asked for: a fifth of all calls is for the first of 100 keys, half as \
        many for the second, a third as many for the third, and so on; one call in a hundred writes.
        """,
        conclusion: """
          This is what merging is for. Look at the backend calls: what is not called need not be waited for, nor paid for. \
          The plain actor is fast because it keeps no order: its reads miss writes that came before them, and it calls \
          the backend for each.
          """),
    ], library: Set([Library.title] + Way.library))
}
