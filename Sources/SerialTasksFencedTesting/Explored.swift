import SerialTasksFenced

@_spi(Testing) extension FencedSerialTaskExecutor {
  /// The number of keys with jobs, access, or callers that are about to leave: for `Tests/explore`, which is a separate package.
  public var keysInUse: Int { busyKeys }
}
