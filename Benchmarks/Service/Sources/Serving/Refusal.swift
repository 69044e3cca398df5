import Bank
import Etcd
import Hummingbird
import SerialTasks
import SerialTasksFenced

/// What a client is told when it does not get what it asked for.
enum Refusal {
  /// The client has gone, and reads no answer.
  case left
  /// Nothing was done, and it may be tried again.
  case tryAgain(String)
  case wrong(HTTPResponse.Status, String)
  /// A mistake in this program.
  case own(any Error)

  /// Cancellation is an error of its own, and every other rejection is a `JobRejection`: so there are two catches.
  init(_ error: any Error) {
    switch error {
    case is CancellationError: self = .left
    case JobRejection.deadlock: self = .own(error)
    case let rejection as JobRejection: self = .tryAgain("\(rejection)")
    case BankError.missing(let what): self = .wrong(.notFound, "There is no \(what).")
    case BankError.insufficient(let account): self = .wrong(.conflict, "\(account) does not hold as much.")
    case BankError.sameAccount: self = .wrong(.badRequest, "These are not two accounts.")
    case BankError.fencedOff(let account):
      self = .tryAgain("This server had lost its access to \(account); nothing was written.")
    case is EtcdError, is AccessError: self = .tryAgain("\(error)")
    case let error as HTTPError: self = .wrong(error.status, error.body ?? "")
    default: self = .own(error)
    }
  }

  func response(_ context: some RequestContext) -> Response {
    switch self {
    case .left: return Response(status: .init(code: 499, reasonPhrase: "Client Closed Request"))
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
