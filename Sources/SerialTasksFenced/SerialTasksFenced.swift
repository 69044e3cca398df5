// Exclusion between processes. Re-exports SerialTasks, which keeps order inside each.
@_exported import SerialTasks
