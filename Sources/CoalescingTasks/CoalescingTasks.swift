// Work that callers share. Re-exports SerialTasks, which keeps it in order.
@_exported import SerialTasks
