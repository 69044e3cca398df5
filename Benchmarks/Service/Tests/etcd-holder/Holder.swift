import Etcd
import Foundation

/// Takes a key, prints its fence, and holds it until it is killed: `etcd-holder ADDRESSES KEY SECONDS`.
@main struct Holder {
  static func main() async throws {
    let arguments = CommandLine.arguments
    let access = EtcdAccess(
      EtcdClient(arguments[1].split(separator: ",").map(String.init)), validity: .seconds(Int64(arguments[3])!))
    try await access.withAccess(to: arguments[2]) { fence in
      FileHandle.standardOutput.write(Data("\(fence.number)\n".utf8))
      try await Task.sleep(for: .seconds(3_600))
    }
  }
}
