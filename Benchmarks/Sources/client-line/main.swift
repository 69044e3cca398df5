import SerialTasks

let line = SerialTaskExecutor()
print(try await line.enqueue { 1 })
