import Bank
import Hummingbird
import Metrics

/// What a client is told when it does not get what it asked for.
///
/// Why it may ask again is logged, and not told: it may name an address, a table, or what an engine has said.
package enum Refusal {
  /// Why nothing was done, or it is not known; each is counted.
  package enum Why: String, CaseIterable, Sendable {
    case rejected, noAccess, lateWrite, numbersBeganAgain, database, unknown, unread, stopping, cancelled, own
  }

  /// Nothing was done, and it may be tried again.
  case tryAgain(Why, String)
  /// The work was cancelled after it had begun, and may have been done in part.
  ///
  /// Usually the client has left, and reads no answer. Otherwise the service is stopping, and the work took too long.
  case cancelled
  /// It is not known whether it was done. Asked for again under the same name, it is not done twice.
  case unknown(String)
  case wrong(HTTPResponse.Status, String)
  /// Nothing was done, and nothing will be until a person has seen to it.
  case broken(String)
  /// A mistake in this program.
  case own(any Error)

  package init(_ error: any Error) {
    switch error {
    // A mistake in this program: the error names the cycle.
    case BankError.notBegun(.deadlock(let deadlock)): self = .own(deadlock)
    // The executor of the accounts rejected the job: nothing was done.
    case BankError.notBegun(let why): self = .tryAgain(.rejected, "\(why)")
    case BankError.noAccess(let why):
      self = .tryAgain(.noAccess, "There is no access: \(why)")
    case BankError.fencedOff(let account, _, _):
      self = .tryAgain(.lateWrite, "This server had lost its access to \(account): nothing was written.")
    case BankError.numbersBeganAgain(let seen, let newest):
      self = .broken("The engine's numbers began again at \(newest), below \(seen).")
    case StoreError.notDone(let why): self = .tryAgain(.database, "The database did nothing: \(why)")
    case StoreError.unknown(let why): self = .unknown("The answer was lost: \(why)")
    case BankError.otherRequest(let id):
      self = .wrong(.unprocessableContent, "\(id) stands for another request.")
    case BankError.missing(let what): self = .wrong(.notFound, "There is no \(what).")
    case BankError.insufficient(let account):
      self = .wrong(.conflict, "\(account) does not hold as much.")
    case BankError.exists(let what): self = .wrong(.conflict, "There is a \(what) already.")
    case BankError.bad(let why): self = .wrong(.badRequest, why)
    case BankError.sameAccount: self = .wrong(.badRequest, "These are not two accounts.")
    case is Answers.NoRoom: self = .tryAgain(.unread, "too many answers wait to be read")
    case BodyError.tooLarge: self = .wrong(.contentTooLarge, "A body has at most 65536 bytes.")
    case BodyError.late: self = .wrong(.requestTimeout, "The body did not arrive in time.")
    case BodyError.stopping: self = .tryAgain(.stopping, "the body had not arrived when the service was stopped")
    case let error as HTTPError: self = .wrong(error.status, error.body ?? "")
    // The job had begun.
    case is CancellationError: self = .cancelled
    // Also a JobRejection of something that the job waited for: the job had begun.
    default: self = .own(error)
    }
  }

  private var counted: Why? {
    switch self {
    case .tryAgain(let why, _): why
    case .cancelled: .cancelled
    case .unknown: .unknown
    case .broken: .numbersBeganAgain
    case .wrong: nil
    case .own: .own
    }
  }

  static func counter(_ why: Why) -> Counter {
    Counter(label: "requests_refused", dimensions: [("why", why.rawValue)])
  }

  /// Counts and logs it, in one line with the request's id, unless the client has made a mistake; `job` says what it was.
  func response(_ context: some RequestContext, _ job: String?) -> Response {
    if let counted { Refusal.counter(counted).increment() }
    var logger = context.logger
    logger[metadataKey: "job"] = "\(job ?? context.endpointPath ?? "")"
    switch self {
    case .cancelled:
      logger.info("cancelled after it had begun")
      return Refusal.text(.internalServerError, "cancelled after it had begun")
    case .tryAgain(_, let why):
      logger.info("rejected", metadata: ["why": "\(why)"])
      return Refusal.text(.serviceUnavailable, "Nothing was done. Ask again.", retryAfter: "1")
    case .unknown(let why):
      logger.warning("not known whether it was done", metadata: ["why": "\(why)"])
      return Refusal.text(.gatewayTimeout, "It may have been done. Ask again under the same name.", retryAfter: "1")
    case .broken(let why):
      logger.critical("\(why) See what the engine's README says of restored clusters.")
      return Refusal.text(.serviceUnavailable, "Nothing is done until a person has seen to it.", retryAfter: "60")
    case .wrong(let status, let why): return Refusal.text(status, why)
    case .own(let error):
      logger.error("failed", metadata: ["error": "\(error)"])
      return Response(status: .internalServerError)
    }
  }

  private static func text(_ status: HTTPResponse.Status, _ text: String, retryAfter: String? = nil) -> Response {
    var response = Response.text(text + "\n")
    response.status = status
    response.headers[.retryAfter] = retryAfter
    return response
  }
}
