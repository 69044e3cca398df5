import Foundation

/// The names of what this engine keeps in etcd.
struct Places: Sendable {
  let root: String

  /// Where the places of a key are.
  func prefix(of key: String) -> String { "\(root)keys/\(key.hexadecimal)/" }

  /// Where the slots of all sessions are.
  var slots: String { "\(root)slots/" }
}

extension String {
  var bytes: Data { Data(utf8) }

  /// The first string after all that begin with this one, which must end in an ASCII character.
  var afterPrefix: String { String(dropLast()) + String(UnicodeScalar(utf8.last! + 1)) }

  /// Without anything that has a meaning in a path.
  var hexadecimal: String { utf8.map { String(0x100 + Int($0), radix: 16).dropFirst() }.joined() }
}

// MARK: - Transactions

/// One place of a caller in the line of a key.
struct Place: Hashable, Sendable {
  let key: String
  let prefix: String
  let lease: Int64

  init(_ number: UInt64, of lease: Int64, under prefix: String) {
    self.prefix = prefix
    self.lease = lease
    key = "\(prefix)\(lease.name)-\(number)"
  }

  /// The places of the key before a revision, or all, the latest first.
  private func latest(before revision: Int64?, limit: Int64) -> Etcdserverpb_RequestOp {
    .with {
      $0.requestRange = .with {
        ($0.key, $0.rangeEnd, $0.limit) = (prefix.bytes, prefix.afterPrefix.bytes, limit)
        ($0.sortOrder, $0.sortTarget, $0.keysOnly) = (.descend, .create, true)
        if let revision { $0.maxCreateRevision = revision - 1 }
      }
    }
  }

  private static func find(_ key: String) -> Etcdserverpb_RequestOp {
    .with { $0.requestRange = .with { ($0.key, $0.keysOnly) = (key.bytes, true) } }
  }

  private static func put(_ key: String, _ lease: Int64) -> Etcdserverpb_RequestOp {
    .with { $0.requestPut = .with { ($0.key, $0.lease) = (key.bytes, lease) } }
  }

  private var deletion: Etcdserverpb_RequestOp { .with { $0.requestDeleteRange = .with { $0.key = self.key.bytes } } }

  /// Puts the place, and looks which ones are before it, as long as the slot is as it was.
  func taking(_ slot: Slot) -> Etcdserverpb_TxnRequest {
    .with {
      $0.compare = [.with { ($0.target, $0.key, $0.modRevision) = (.mod, slot.key.bytes, slot.revision) }]
      $0.success = [Place.put(key, lease), Place.put(slot.key, lease), latest(before: nil, limit: 3)]
      $0.failure = [Place.find(key), Place.find(slot.key)]
    }
  }

  /// Looks which places are before that of a revision, and whether that one is still there.
  func looking(_ revision: Int64) -> Etcdserverpb_TxnRequest {
    .with { $0.success = [latest(before: revision, limit: 2), Place.find(key)] }
  }

  var releasing: Etcdserverpb_TxnRequest { .with { $0.success = [deletion] } }

  /// Deletes the place, and changes the slot, so that no request that comes late puts it.
  func settling(_ slot: Slot) -> Etcdserverpb_TxnRequest {
    .with { $0.success = [Place.put(slot.key, lease), deletion] }
  }
}

/// What makes a request for a place count once, whenever and however often it arrives.
///
/// A request may reach etcd long after it was sent, or twice: a node was frozen, a proposal was forwarded. If it put a place that
/// has been used and deleted meanwhile, no one would ever delete it, and its key would be dead. So each request demands that a
/// key of its own, the slot, is as it was, and changes that. What was not answered is settled: the slot is changed without it. No
/// other request is touched. A slot is then used for the next request.
struct Slot: Hashable, Sendable {
  let key: String
  /// At which it was changed last, as far as is known here; 0 before the first time.
  var revision: Int64 = 0

  init(_ number: Int, of lease: Int64, in places: Places) { key = "\(places.slots)\(lease.name)/\(number)" }
}

extension Int64 {
  /// A lease as etcd prints it.
  var name: String { String(UInt64(bitPattern: self), radix: 16) }
}
