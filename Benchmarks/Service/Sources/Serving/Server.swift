import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle

/// Where a server listens.
package struct Address: Sendable {
  let host: String
  let port: Int

  package init(host: String, port: Int) { (self.host, self.port) = (host, port) }
}

/// The application: its routes, and the order in which it stops.
package struct Server {
  private let routes = Router(context: BankRequestContext.self, options: .autoGenerateHeadEndpoints)
  private let address: Address
  /// What the service tells about itself, for those who run it, and no strangers.
  private let looks = Router(context: BankRequestContext.self)
  private let inside: Address
  private let crowd: Crowd
  private let readiness: Readiness
  private let draining: Draining
  private let logger: Logger

  package init(
    _ routes: Routes, at address: Address, _ looking: Looking, at inside: Address, draining: Draining, logger: Logger
  ) {
    self.address = address
    self.inside = inside
    crowd = routes.crowd
    readiness = looking.readiness
    self.draining = draining
    self.logger = logger
    routes.add(to: self.routes)
    looking.add(to: looks)
  }

  /// Serves until SIGTERM or SIGINT, and then stops in order.
  package nonisolated(nonsending) func run() async throws {
    let (looksAreThere, there) = AsyncStream.makeStream(of: Void.self)
    // A client that is connected and says nothing keeps no other out.
    let lookers = Crowd(
      "metrics", atMost: 20, whenFull: .endOldest, patience: crowd.patience, leaving: crowd.leaving, logger: logger)
    let looking = Application(
      router: looks,
      server: httpServer(lookers),
      configuration: configuration(inside, lookers),
      onServerRunning: { _ in there.finish() },
      logger: named("metrics"))
    var application = Application(
      router: routes,
      server: httpServer(crowd),
      configuration: configuration(address, crowd),
      // First in the list, so stopped last.
      services: [draining],
      onServerRunning: { channel in
        // The program that started this one reads the port here. Not with print, which keeps it back in a pipe.
        let line = "listening on \(channel.localAddress?.port ?? 0)\n"
        FileHandle.standardOutput.write(Data(line.utf8))
      },
      logger: named("clients"))
    application.beforeServerStarts {
      for await _ in looksAreThere {}
      // Its port may be in use.
      try Task.checkCancellation()
    }
    // Last in the list, so stopped first.
    var configuration = ServiceGroupConfiguration(
      services: [.init(service: looking), .init(service: application), .init(service: readiness)],
      gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    // Connections that do not end, and then the draining.
    configuration.maximumGracefulShutdownDuration = readiness.delay + draining.limit * 2 + .seconds(5)
    try await ServiceGroup(configuration: configuration).run()
  }

  private func named(_ port: Logger.MetadataValue) -> Logger {
    var logger = logger
    logger[metadataKey: "port"] = port
    return logger
  }

  private func configuration(_ address: Address, _ crowd: Crowd) -> ApplicationConfiguration {
    // So many connections wait to be accepted; others are told nothing, and their clients wait for their own limits. Those who are
    // told that there is no room leave a moment later.
    ApplicationConfiguration(
      address: .hostname(address.host, port: address.port), backlog: 4_096,
      availableConnectionsDelegate: MaximumAvailableConnections(crowd.limit + 20))
  }

  private func httpServer(_ crowd: Crowd) -> HTTPServerBuilder {
    .http1(
      configuration: .init(
        additionalChannelHandlers: [crowd.handler()],
        // Longer than a body may take, which is answered.
        idleTimeout: TimeAmount(crowd.patience + .seconds(1))))
  }
}
