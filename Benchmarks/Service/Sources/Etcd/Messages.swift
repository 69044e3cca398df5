import Foundation

// What etcd's JSON gateway is sent and answers, as far as it is needed. Bytes are base64, and 64-bit numbers are strings.

struct Header: Decodable { var revision: String? }

struct KeyValue: Decodable {
  var key: String
  var create_revision: String?
  var lease: String?

  var createRevision: UInt64 { create_revision.flatMap(UInt64.init) ?? 0 }
}

struct RangeRequest: Encodable {
  var key: String
  var range_end: String?
  var limit: String?
  var sort_order: String?
  var sort_target: String?
  var max_create_revision: String?
}

struct RangeAnswer: Decodable {
  var header: Header
  var kvs: [KeyValue]?
}

struct PutRequest: Encodable {
  var key: String
  var lease: String
}

struct DeleteRequest: Encodable { var key: String }

struct Anything: Decodable {}

struct TransactionRequest: Encodable {
  struct Compare: Encodable {
    var key: String
    var target = "CREATE"
    var result = "EQUAL"
    var create_revision: String
  }

  struct Operation: Encodable {
    var request_put: PutRequest?
    var request_range: RangeRequest?
  }

  var compare: [Compare]?
  var success: [Operation]
  var failure: [Operation]?
}

struct TransactionAnswer: Decodable {
  struct Part: Decodable { var response_range: RangeAnswer? }

  var header: Header
  var responses: [Part]?

  /// What the ranges in it found.
  var ranges: [[KeyValue]] { (responses ?? []).compactMap { $0.response_range.map { $0.kvs ?? [] } } }
}

struct GrantRequest: Encodable { var TTL: String }
struct LeaseRequest: Encodable { var ID: String }

struct LeaseAnswer: Decodable {
  var ID: String?
  var TTL: String?
}

/// A line of an answer that goes on.
struct Streamed<Answer: Decodable>: Decodable { var result: Answer? }

struct WatchRequest: Encodable {
  struct Create: Encodable {
    var key: String
    var start_revision: String
    var filters = ["NOPUT"]
  }

  var create_request: Create
}

struct WatchAnswer: Decodable {
  struct Event: Decodable { var type: String? }

  var canceled: Bool?
  var events: [Event]?
}

extension String {
  /// As the gateway expects bytes.
  var base64: String { Data(utf8).base64EncodedString() }

  /// What the gateway has sent as bytes.
  var fromBase64: String { Data(base64Encoded: self).map { String(decoding: $0, as: UTF8.self) } ?? "" }

  /// The first string after all that begin with this one, which must end in an ASCII character.
  var afterPrefix: String { String(dropLast()) + String(UnicodeScalar(utf8.last! + 1)) }

  /// Without anything that has a meaning in a path.
  var hexadecimal: String { utf8.map { String(0x100 + Int($0), radix: 16).dropFirst() }.joined() }
}
