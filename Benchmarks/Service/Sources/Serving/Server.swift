import Foundation
import Hummingbird
import Logging
import ServiceLifecycle

/// The application: its routes, and the order in which it stops.
package struct Server {
  let router = Router(context: BasicRequestContext.self)
  let port: Int
  let draining: Draining
  let logger: Logger

  package init(_ routes: Routes, _ looking: Looking, port: Int, draining: Draining, logger: Logger) {
    self.port = port
    self.draining = draining
    self.logger = logger
    routes.add(to: router)
    looking.add(to: router)
  }

  /// Serves until SIGTERM or SIGINT, and then stops in order.
  package func run() async throws {
    let application = Application(
      router: router,
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
      // First in the list, so stopped last.
      services: [draining],
      onServerRunning: { channel in
        // The program that started this one reads the port here. Not with print, which keeps it back in a pipe.
        let line = "listening on \(channel.localAddress?.port ?? 0)\n"
        FileHandle.standardOutput.write(Data(line.utf8))
      },
      logger: logger)
    var configuration = ServiceGroupConfiguration(
      services: [.init(service: application)], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    // Connections that do not end, and then the draining.
    configuration.maximumGracefulShutdownDuration = draining.limit * 2 + .seconds(5)
    try await ServiceGroup(configuration: configuration).run()
  }
}
