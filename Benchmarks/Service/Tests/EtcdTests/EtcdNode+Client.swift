import Etcd
import Metrics
import Servers

extension EtcdAccess {
  /// Returns when so many calls wait.
  func waitUntil(waiting count: Int) async { while waiting < count { await Task.yield() } }
}

extension EtcdNode {
  /// A client of this node, asked through others first.
  func client(
    _ limits: EtcdLimits = EtcdLimits(validity: .seconds(2), patience: .seconds(10)), before: [String] = [],
    metrics: any MetricsFactory = NOOPMetricsHandler.instance, _ change: (inout EtcdCluster) -> Void = { _ in }
  ) -> EtcdClient {
    var cluster = EtcdCluster((before + [address]).joined(separator: ","))!
    change(&cluster)
    return EtcdClient(cluster, limits: limits, metrics: metrics)
  }
}
