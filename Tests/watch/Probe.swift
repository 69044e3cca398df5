import SerialTasks

/// Whether child tasks of a job are known to be inside it; with `SERIALTASKS_NO_PROBE` only the task that runs the job is.
package let childrenAreCertain: Bool = {
  _ = SerialTaskExecutor()
  return !StorageProbe.isWrong
}()
