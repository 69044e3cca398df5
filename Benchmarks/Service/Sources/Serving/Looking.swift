import Bank
import Hummingbird
import Observing
import SerialTasks
import SerialTasksTesting

/// What the service tells about itself.
package struct Looking: Sendable {
  let store: Store
  let metrics: MetricsPage
  let last: LastEvents
  let readiness: Readiness
  /// Throws if nothing can be written, because nothing grants access.
  let check: @Sendable () async throws -> Void

  package init(
    _ store: Store, _ metrics: MetricsPage, _ last: LastEvents, _ readiness: Readiness,
    check: @escaping @Sendable () async throws -> Void = {}
  ) {
    self.store = store
    self.metrics = metrics
    self.last = last
    self.readiness = readiness
    self.check = check
  }

  package func add(to router: Router<BankRequestContext>) {
    router.get("metrics") { _, _ in
      Response.text(metrics.text + "# TYPE bank_database_reads counter\nbank_database_reads \(store.reads)\n")
    }
    router.get("waits") { _, _ in
      let events = last.events
      let chart = Timeline(events).text(width: 100, isASCII: false).split(separator: "\n").map(String.init)
      // A client has chosen some of the names.
      let lines = (chart + ["", "The same as text:"] + events.map { "\($0)" }).map { LogLines.line($0 + "\n") }
      return Response.text("\(WaitReport.current)\n\nThe last events:\n" + lines.joined())
    }
    // Whether the process works, and whether it is to be sent requests.
    router.get("health") { _, _ in Response.text("ok\n") }
    router.get("ready") { _, _ in
      var why = readiness.isReady ? nil : "stopping"
      if why == nil { do { try await check() } catch { why = "not ready: \(error)" } }
      var response = Response.text((why ?? "ready") + "\n")
      if why != nil { response.status = .serviceUnavailable }
      return response
    }
  }
}
