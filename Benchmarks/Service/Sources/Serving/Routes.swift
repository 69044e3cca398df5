import Bank
import Foundation
import Hummingbird
import Metrics

/// The accounts over HTTP.
package struct Routes: Sendable {
  let accounts: any Accounts
  let crowd: Crowd
  let answers: Answers
  /// How long a client may take to send a request.
  private var patience: Duration { crowd.patience }

  package init(_ accounts: any Accounts, for crowd: Crowd, _ answers: Answers) {
    (self.accounts, self.crowd, self.answers) = (accounts, crowd, answers)
  }

  package func add(to router: Router<BankRequestContext>) {
    for why in Refusal.Why.allCases { _ = Refusal.counter(why) }
    router.add(middleware: TracingMiddleware())
    router.add(middleware: Entrance())
    // Each answers one page, from the account or the note of this name on.
    router.get("accounts") { request, context in
      await answer(context) { _ in try await answers.json(accounts.list(from: request.from())) }
    }
    router.get("accounts/:id") { request, context in
      await answer(context) { job in
        let id = try context.name("id")
        try Name.check(id)
        job = "read \(id)"
        return try await answers.json(accounts.account(id, from: request.from()))
      }
    }
    router.post("accounts/:id/notes") { request, context in
      try await change(.add, request, context)
    }
    router.put("accounts/:id/notes/:note") { request, context in
      try await change(.update, request, context)
    }
    router.delete("accounts/:id/notes/:note") { request, context in
      try await change(.delete, request, context)
    }
    router.post("transfers") { request, context in
      await answer(context) { job in
        let transfer = try await request.body.decoded(as: Transfer.self, within: patience)
        try transfer.check()
        job = transfer.description
        // It may wait long, for its turn and for its approval: the client's leaving ends that.
        try await crowd.whileConnected(context.channel) { try await accounts.transfer(transfer) }
        return Response(status: .created)
      }
    }
    router.refuseOtherMethods()
  }

  /// What a client sends to change a note.
  struct NoteBody: Codable {
    /// The client's name for this request, the idempotency key: asked for again under it, the change is not done twice.
    var request: String
    var id: String?
    var text: String?
  }

  private func change(
    _ kind: NoteChange.Kind, _ request: Request, _ context: BankRequestContext
  ) async throws -> Response {
    await answer(context) { job in
      let account = try context.name("id")
      let sent = try await request.body.decoded(as: NoteBody.self, within: patience)
      let id = kind == .add ? sent.id.map { Name($0) } : try context.name("note")
      guard let id else { throw HTTPError(.badRequest, message: "A note has an id.") }
      let note = Note(id: id, text: sent.text ?? "")
      let change = NoteChange(id: Name(sent.request), account: account, kind: kind, note: note)
      try change.check()
      job = "\(kind) \(account)"
      try await accounts.change(change)
      return Response(status: kind == .add ? .created : .ok)
    }
  }
}

/// Counts requests, and how long they take until they are answered, by their route and what they are answered.
private struct Entrance: RouterMiddleware {
  func handle(
    _ request: Request, context: BankRequestContext, next: (Request, BankRequestContext) async throws -> Response
  ) async throws -> Response {
    let began = ContinuousClock.now
    func count(_ status: HTTPResponse.Status) {
      Timer(
        label: "http_requests",
        dimensions: [
          ("route", context.endpointPath ?? "none"), ("method", request.method.rawValue), ("status", "\(status.code)"),
        ]
      ).record(duration: began.duration(to: .now))
    }
    do {
      // As HTTP demands; what stands in front of the service may have gone by it.
      if request.head.authority == nil { throw HTTPError(.badRequest, message: "A request names its host.") }
      let response = try await next(request, context)
      count(response.status)
      return response
    } catch {
      count((error as? HTTPError)?.status ?? .internalServerError)
      throw error
    }
  }
}

extension Request {
  /// Where the page that is asked for begins.
  fileprivate func from() throws -> Name? {
    guard let from = uri.queryParameters["from"] else { return nil }
    let name = Name(String(from))
    try Name.check(name)
    return name
  }
}

extension BankRequestContext {
  /// A part of the path, as the client means it.
  fileprivate func name(_ parameter: String) throws -> Name {
    if let name = try parameters.require(parameter).removingPercentEncoding { return Name(name) }
    throw HTTPError(.badRequest, message: "A part of the path is no UTF-8 in percent-encoding.")
  }
}

extension Router {
  /// Answers 405 to methods that a path does not have.
  fileprivate func refuseOtherMethods() {
    for routes in Dictionary(grouping: routes, by: \.path.description).values {
      let methods = routes.map(\.method)
      let headers: HTTPFields = [.allow: methods.map(\.rawValue).joined(separator: ", ")]
      for method in [HTTPRequest.Method.get, .post, .put, .patch, .delete, .options, .trace]
      where !methods.contains(method) {
        on(routes[0].path, method: method) { _, _ in Response(status: .methodNotAllowed, headers: headers) }
      }
    }
  }
}
