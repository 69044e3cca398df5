import SerialTasks

let keyed = KeyedSerialTaskExecutor<String>()
print(try await keyed.enqueue(for: "ann") { 1 })
