// Mistakes, and above each what the compiler says to it; `.ci/wrong-calls` compares. Nothing here compiles.
import SerialTasks

func wrong() {
  // error: cannot find 'TaskCoalescer' in scope
  let profiles = TaskCoalescer<String, Int>()
  // error: cannot find 'CoalescingTaskExecutor' in scope
  let notes = CoalescingTaskExecutor<String>()
  print(profiles, notes)
}
