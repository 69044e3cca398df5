import Foundation
import Postgres
import SerialTasksFenced

#if ETCD
  import Etcd
#endif

/// Takes a key, prints its fence, and holds it until it is killed: `holder --etcd ADDRESSES|--postgres PARAMETERS KEY [OTHER]`.
///
/// Meanwhile it asks for the other key again and again.
@main struct Holder {
  static func main() async throws {
    let arguments = CommandLine.arguments
    let engine = arguments[2]
    #if ETCD
      if arguments[1] == "--etcd" {
        let limits = EtcdLimits(validity: .seconds(2))
        try await hold(EtcdAccess(EtcdClient(EtcdCluster(engine)!, limits: limits))) { $0 }
      }
    #endif
    let limits = PostgresLimits(validity: .seconds(2))
    try await hold(PostgresAccess(limits: limits) { try await LibpqLink.connect(engine, within: $0) }) { Name($0) }
  }

  private static func hold<Key>(_ access: some ExclusiveAccess<Key>, _ key: @Sendable (String) -> Key) async throws {
    try await access.withAccess(to: key(CommandLine.arguments[3])) { fence in
      FileHandle.standardOutput.write(Data("\(fence.number)\n".utf8))
      while let other = CommandLine.arguments.dropFirst(4).first {
        try? await access.withAccess(to: key(other)) { _ in }
      }
      try await Task.sleep(for: .seconds(3_600))
    }
  }
}
