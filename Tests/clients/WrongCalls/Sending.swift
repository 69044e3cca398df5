// What the article "When it does not compile" explains; `.ci/wrong-calls` compares. Nothing here compiles.
import SerialTasks

final class Draft { var edits = 0 }

func captured(_ line: SerialTaskExecutor, _ draft: Draft) {
  // error: passing closure as a 'sending' parameter risks causing data races between code in the current task and concurrent execution of the closure
  line.submit { draft.edits += 1 }
  print(draft.edits)
}

func variable(_ line: SerialTaskExecutor) {
  var count = 0
  // error: sending value of non-Sendable type '() async -> ()' risks causing data races
  line.submit { count += 1 }
  print(count)
}
