// Order between processes. Re-exports SerialTasks, which keeps it inside each.
@_exported import SerialTasks
