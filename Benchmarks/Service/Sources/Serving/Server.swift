import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOSSL
import ServiceLifecycle

/// The application: its routes, and the order in which it stops.
package struct Server {
  let router = Router(context: BankRequestContext.self, options: .autoGenerateHeadEndpoints)
  /// Where it listens.
  let address: (host: String, port: Int)
  /// Files in the PEM format: with them, it speaks TLS, and HTTP/2 to those who can.
  let certificate: (chain: String, key: String)?
  let readiness: Readiness
  let draining: Draining
  let logger: Logger

  package init(
    _ routes: Routes, _ looking: Looking, at address: (host: String, port: Int),
    certificate: (chain: String, key: String)? = nil, draining: Draining, logger: Logger
  ) {
    self.address = address
    self.certificate = certificate
    readiness = looking.readiness
    self.draining = draining
    self.logger = logger
    routes.add(to: router)
    looking.add(to: router)
  }

  /// Serves until SIGTERM or SIGINT, and then stops in order.
  package nonisolated(nonsending) func run() async throws {
    let application = Application(
      router: router,
      server: try httpServer(),
      // So many connections wait to be accepted; others are told nothing, and their clients wait for their own limits.
      configuration: ApplicationConfiguration(address: .hostname(address.host, port: address.port), backlog: 4_096),
      // First in the list, so stopped last.
      services: [draining],
      onServerRunning: { channel in
        // The program that started this one reads the port here. Not with print, which keeps it back in a pipe.
        let line = "listening on \(channel.localAddress?.port ?? 0)\n"
        FileHandle.standardOutput.write(Data(line.utf8))
      },
      logger: logger)
    // Last in the list, so stopped first.
    var configuration = ServiceGroupConfiguration(
      services: [.init(service: application), .init(service: readiness)], gracefulShutdownSignals: [.sigterm, .sigint],
      logger: logger)
    // Connections that do not end, and then the draining.
    configuration.maximumGracefulShutdownDuration = readiness.delay + draining.limit * 2 + .seconds(5)
    try await ServiceGroup(configuration: configuration).run()
  }

  private func httpServer() throws -> HTTPServerBuilder {
    guard let (chain, key) = certificate else { return .http1() }
    let tls = TLSConfiguration.makeServerConfiguration(
      certificateChain: try NIOSSLCertificate.fromPEMFile(chain).map { .certificate($0) },
      privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
    return try .http2Upgrade(tlsConfiguration: tls)
  }
}
