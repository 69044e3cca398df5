import Foundation

/// What a Foundation error means to somebody who reads it in a terminal.
enum PlainReason {
  static func of(_ error: any Error) -> String {
    let error = error as NSError
    if let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError, cause.domain == NSPOSIXErrorDomain {
      return text(ofErrno: Int32(cause.code))
    }
    if error.domain == NSPOSIXErrorDomain { return text(ofErrno: Int32(error.code)) }
    if error is DecodingError { return "not a note" }
    return error.localizedDescription
  }

  private static func text(ofErrno number: Int32) -> String {
    String(cString: strerror(number)).lowercased()
  }
}
