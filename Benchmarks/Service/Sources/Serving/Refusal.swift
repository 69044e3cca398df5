import Bank
import Hummingbird

/// What a client is told when it does not get what it asked for.
package enum Refusal {
  /// Nothing was done, and it may be tried again.
  case tryAgain(String)
  /// The work was cancelled after it had begun, and may have been done in part.
  ///
  /// Usually the client has left, and reads no answer. Otherwise the service is stopping, and the work took too long.
  case cancelled
  case wrong(HTTPResponse.Status, String)
  /// A mistake in this program.
  case own(any Error)

  package init(_ error: any Error) {
    switch error {
    // A mistake in this program: the error names the cycle.
    case BankError.notBegun(.deadlock(let deadlock)): self = .own(deadlock)
    // The executor of the accounts rejected the job: nothing was done.
    case BankError.notBegun(let why): self = .tryAgain("\(why)")
    case BankError.noAccess(let why): self = .tryAgain("There is no access: \(why)")
    case BankError.fencedOff(let account):
      self = .tryAgain("This server had lost its access to \(account): nothing was written.")
    case BankError.missing(let what): self = .wrong(.notFound, "There is no \(what).")
    case BankError.insufficient(let account):
      self = .wrong(.conflict, "\(account) does not hold as much.")
    case BankError.sameAccount: self = .wrong(.badRequest, "These are not two accounts.")
    case let error as HTTPError: self = .wrong(error.status, error.body ?? "")
    // The job had begun.
    case is CancellationError: self = .cancelled
    // Also a JobRejection of something that the job waited for: the job had begun.
    default: self = .own(error)
    }
  }

  func response(_ context: some RequestContext) -> Response {
    switch self {
    case .cancelled:
      var response = Response.text("cancelled after it had begun\n")
      response.status = .internalServerError
      return response
    case .tryAgain(let why):
      context.logger.info("rejected", metadata: ["why": "\(why)"])
      var response = Response.text(why + "\n")
      response.status = .serviceUnavailable
      response.headers[.retryAfter] = "1"
      return response
    case .wrong(let status, let why):
      var response = Response.text(why + "\n")
      response.status = status
      return response
    case .own(let error):
      context.logger.error("failed", metadata: ["error": "\(error)"])
      return Response(status: .internalServerError)
    }
  }
}
