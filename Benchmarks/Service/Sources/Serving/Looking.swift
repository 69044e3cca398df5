import Bank
import Hummingbird
import SerialTasks

/// What the service tells about itself.
package struct Looking: Sendable {
  let store: Store
  let metrics: MetricsPage
  let readiness: Readiness

  package init(_ store: Store, _ metrics: MetricsPage, _ readiness: Readiness) {
    self.store = store
    self.metrics = metrics
    self.readiness = readiness
  }

  package func add(to router: Router<BankRequestContext>) {
    router.get("metrics") { _, _ in
      Response.text(metrics.text + "bank_database_reads \(store.reads)\n")
    }
    router.get("waits") { _, _ in Response.text("\(WaitReport.current)\n") }
    // Whether the process works, and whether it is to be sent requests.
    router.get("health") { _, _ in Response.text("ok\n") }
    router.get("ready") { _, _ in
      var response = Response.text(readiness.isReady ? "ready\n" : "stopping\n")
      if !readiness.isReady { response.status = .serviceUnavailable }
      return response
    }
  }
}
