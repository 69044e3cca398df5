import Foundation

/// What a Foundation error means, in words for a terminal.
enum PlainReason {
  static func of(_ error: any Error) -> String {
    if error is DecodingError { return "not a note" }
    let error = error as NSError
    let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
    if cause.domain == NSPOSIXErrorDomain { return text(ofErrno: Int32(cause.code)) }
    switch CocoaError.Code(rawValue: error.code) {
    case .fileNoSuchFile, .fileReadNoSuchFile: return text(ofErrno: ENOENT)
    case .fileReadNoPermission, .fileWriteNoPermission: return text(ofErrno: EACCES)
    case .fileWriteVolumeReadOnly: return text(ofErrno: EROFS)
    case .fileWriteOutOfSpace: return text(ofErrno: ENOSPC)
    default: return error.localizedDescription
    }
  }

  private static func text(ofErrno number: Int32) -> String {
    String(cString: strerror(number)).lowercased()
  }
}
