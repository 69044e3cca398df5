import Bank
import Hummingbird

/// The accounts over HTTP.
package struct Routes: Sendable {
  let accounts: any Accounts

  package init(_ accounts: any Accounts) { self.accounts = accounts }

  package func add(to router: Router<BankRequestContext>) {
    router.get("accounts") { _, context in
      await answer(context) { try await .json(accounts.list()) }
    }
    router.get("accounts/:id") { _, context in
      let id = try context.parameters.require("id")
      return await answer(context) {
        try Name.check(id)
        return try await .json(accounts.account(id))
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
      // It may wait long, for its turn and for its approval: the client's leaving ends that.
      try await answerWhileConnected(request, context) { body in
        let transfer = try await body.decoded(as: Transfer.self)
        try transfer.check()
        try await accounts.transfer(transfer)
        return Response(status: .created)
      }
    }
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
    let account = try context.parameters.require("id")
    let named = context.parameters.get("note")
    return await answer(context) {
      let sent = try await request.body.decoded(as: NoteBody.self)
      guard let id = named ?? sent.id else { throw HTTPError(.badRequest) }
      let note = Note(id: id, text: sent.text ?? "")
      let change = NoteChange(id: sent.request, account: account, kind: kind, note: note)
      try change.check()
      try await accounts.change(change)
      return Response(status: kind == .add ? .created : .ok)
    }
  }
}
