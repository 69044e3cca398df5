import CoalescingTasks

let notes = CoalescingTaskExecutor<String>()
print(try await notes.write { 1 }, try await notes.read("all") { 1 })
