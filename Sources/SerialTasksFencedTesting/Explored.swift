import SerialTasksFenced

@_spi(Testing) extension FencedSerialTaskExecutor {
  /// The number of keys that have jobs or access, or callers that are about to leave: for `Tests/explore`, which is a package of
  /// its own.
  public var keysInUse: Int { busyKeys }
}
