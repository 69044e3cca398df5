import Bank
import Hummingbird
import SerialTasks

/// What the service tells about itself.
package struct Looking: Sendable {
  let store: Store
  let metrics: MetricsPage

  package init(_ store: Store, _ metrics: MetricsPage) {
    self.store = store
    self.metrics = metrics
  }

  package func add(to router: Router<BasicRequestContext>) {
    router.get("metrics") { _, _ in
      Response.text(metrics.text + "bank_database_reads \(store.reads)\n")
    }
    router.get("waits") { _, _ in Response.text("\(WaitReport.current)\n") }
    router.get("health") { _, _ in Response.text("ok\n") }
  }
}
