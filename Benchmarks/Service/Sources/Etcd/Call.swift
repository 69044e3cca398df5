import GRPCCore
import GRPCProtobuf
import SwiftProtobuf

/// A method of etcd's API, of those in `Generated/etcd.proto` that are used here.
struct Call<Request: Message, Response: Message>: Sendable {
  fileprivate let method: MethodDescriptor
}

extension Call<Etcdserverpb_RangeRequest, Etcdserverpb_RangeResponse> {
  static var range: Self { Self("KV", "Range", .unary) }
}
extension Call<Etcdserverpb_TxnRequest, Etcdserverpb_TxnResponse> {
  static var transact: Self { Self("KV", "Txn", .unary) }
}
extension Call<Etcdserverpb_CompactionRequest, Etcdserverpb_CompactionResponse> {
  static var compact: Self { Self("KV", "Compact", .unary) }
}
extension Call<Etcdserverpb_WatchRequest, Etcdserverpb_WatchResponse> {
  static var watch: Self { Self("Watch", "Watch", .bidirectionalStreaming) }
}
extension Call<Etcdserverpb_LeaseGrantRequest, Etcdserverpb_LeaseGrantResponse> {
  static var grantLease: Self { Self("Lease", "LeaseGrant", .unary) }
}
extension Call<Etcdserverpb_LeaseRevokeRequest, Etcdserverpb_LeaseRevokeResponse> {
  static var revokeLease: Self { Self("Lease", "LeaseRevoke", .unary) }
}
extension Call<Etcdserverpb_LeaseKeepAliveRequest, Etcdserverpb_LeaseKeepAliveResponse> {
  static var keepLease: Self { Self("Lease", "LeaseKeepAlive", .bidirectionalStreaming) }
}
extension Call<Etcdserverpb_AuthenticateRequest, Etcdserverpb_AuthenticateResponse> {
  static var authenticate: Self { Self("Auth", "Authenticate", .unary) }
}

extension Call {
  private init(_ service: String, _ method: String, _ type: MethodDescriptor.RPCType) {
    self.method = MethodDescriptor(fullyQualifiedService: "etcdserverpb.\(service)", method: method, type: type)
  }
}

extension Endpoint.Client {
  /// Calls a method with one request; returns its one answer.
  func ask<Request, Response>(
    _ call: Call<Request, Response>, _ request: Request, metadata: Metadata = [:], options: CallOptions
  ) async throws -> Response {
    try await unary(
      request: ClientRequest(message: request, metadata: metadata), descriptor: call.method,
      serializer: ProtobufSerializer<Request>(), deserializer: ProtobufDeserializer<Response>(), options: options
    ) { try $0.message }
  }

  /// Calls a method with a stream of requests, and passes on the stream of its answers.
  func stream<Request, Response, Result: Sendable>(
    _ call: Call<Request, Response>, metadata: Metadata, options: CallOptions = .defaults,
    _ requests: @Sendable @escaping (RPCWriter<Request>) async throws -> Void,
    _ answers: @Sendable @escaping (StreamingClientResponse<Response>) async throws -> Result
  ) async throws -> Result {
    try await bidirectionalStreaming(
      request: StreamingClientRequest(metadata: metadata, producer: requests), descriptor: call.method,
      serializer: ProtobufSerializer<Request>(), deserializer: ProtobufDeserializer<Response>(), options: options,
      onResponse: answers)
  }
}
