import Foundation

/// A PostgreSQL server in a folder of its own, of Debian's package `postgresql`.
package final class PostgresServer: Sendable {
  private static let folders: [String] = {
    let root = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    return versions.sorted().reversed().map { "\(root)/\($0)/bin" }
  }()

  package static let program = ServerProcess.find("postgres", in: folders)

  /// For libpq.
  package let parameters: String
  private let options: [String]
  private let server = ServerProcess("postgres")
  package let port = ServerProcess.freePort()
  private var data: String { "\(server.folder)/data" }

  /// Makes a server, with more options of it, such as `synchronous_commit=off`.
  package init(options: [String] = []) throws {
    self.options = options.flatMap { ["-c", $0] }
    parameters = "host=127.0.0.1 port=\(port) user=postgres dbname=postgres"
    // The server refuses to be root.
    try ServerProcess.run("/bin/chown", ["postgres", server.folder])
    let initialize = ServerProcess.find("initdb", in: PostgresServer.folders)!
    let status = try ServerProcess.run(
      "/usr/bin/setpriv", PostgresServer.user + [initialize, "-D", data, "-A", "trust", "-U", "postgres", "--no-sync"])
    if status != 0 { throw CocoaError(.executableLoad) }
  }

  private static let user = ["--reuid=postgres", "--regid=postgres", "--clear-groups"]

  package func start() throws {
    try server.start(
      "/usr/bin/setpriv",
      PostgresServer.user + [
        PostgresServer.program!, "-D", data, "-p", "\(port)", "-k", server.folder, "-c", "listen_addresses=127.0.0.1",
        "-c", "max_connections=200",
      ] + options)
  }

  /// Ends it at once, as a power failure does; returns when it has ended.
  package func stop() { server.stop(SIGQUIT) }
  package func remove() {
    stop()
    server.remove()
  }
}
