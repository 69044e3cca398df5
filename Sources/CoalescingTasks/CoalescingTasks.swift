// Work that callers share. What gives it an order is imported with it.
@_exported import SerialTasks
