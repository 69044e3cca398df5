import SerialTasks

/// Records the requests of the tasks of one closure, and finds the rings; compares, describes and releases keys
/// outside of the lock.
@_spi(Testing) public final class OrderRecorder: Sendable {
  private struct Owner: Hashable, Sendable {
    let identity: ObjectIdentifier
    let label: String
  }

  /// Equal keys have the same place.
  private struct Place: Hashable, Sendable {
    let owner: Int
    let hash: Int
  }

  /// Keeps an object's address from being reused.
  private struct KeptPlace: @unchecked Sendable {
    // Safe because it is never read again.
    private unowned let object: AnyObject

    /// Called while a request is being recorded, when the object exists.
    init(of identity: ObjectIdentifier) {
      let address = UnsafeRawPointer(bitPattern: UInt(bitPattern: identity))!
      object = Unmanaged<AnyObject>.fromOpaque(address).takeUnretainedValue()
    }
  }

  private struct KnownKey: Sendable {
    let key: any Hashable & Sendable
    let number: Int
  }

  private struct Names: Sendable {
    var owners: [Owner: Int] = [:]
    var labels: [String] = []
    var places: [KeptPlace] = []
    var keys: [Place: [KnownKey]] = [:]
    var keyNames: [String] = []
    var types: [[ObjectIdentifier]: Int] = [:]
  }

  private struct Contents: Sendable {
    var order: Order
    var names = Names()
    /// By path, numbered in the order in which they were first seen.
    var rejections: [[String]: (number: Int, deadlock: DeadlockError)] = [:]
    var isOver = false
  }

  private let limit: Int
  private let contents: Lock<Contents>

  /// - Parameter limit: The maximum number of kinds that are kept.
  @_spi(Testing) public init(limit: Int) {
    self.limit = limit
    contents = Lock(Contents(order: Order(limit: limit)))
  }
}

// MARK: - Noting

extension OrderRecorder {
  func note(_ request: OrderRequest) {
    if request.isAmbiguous, !knows(request) { return }
    let (held, turns, jobs) = numbered(request)
    guard let wanted = number(of: request.wanted), let held else {
      let owner = number(ofOwner: request.wanted)
      return contents.withLock { $0.order.noteUnknown(owner: owner, isOutside: request.held.isEmpty) }
    }
    contents.withLock { contents in
      if contents.isOver { return }
      contents.order.note(Order.Request(held: held, wanted: wanted), in: turns, by: request.task, jobs)
    }
  }

  func note(_ deadlock: DeadlockError) {
    contents.withLock { contents in
      let count = contents.rejections.count
      if contents.isOver || count >= limit || contents.rejections[deadlock.path] != nil { return }
      contents.rejections[deadlock.path] = (count, deadlock)
    }
  }

  /// Returns whether the closure's own tasks have used an owner of the request.
  private func knows(_ request: OrderRequest) -> Bool {
    let owners = (request.held.map(\.stake) + [request.wanted]).map { Owner(identity: $0.owner, label: $0.label) }
    return contents.withLock { contents in owners.contains { contents.names.owners[$0] != nil } }
  }

  private func numbered(_ request: OrderRequest) -> (held: [Order.Stake]?, turns: [Order.Turn], jobs: Order.Jobs) {
    var held: [Order.Stake] = []
    for turn in request.held {
      guard let stake = number(of: turn.stake) else { return (nil, [], Order.Jobs()) }
      held.append(stake)
    }
    return (
      held, request.held.map { Order.Turn(generation: $0.generation, number: $0.turn) },
      Order.Jobs(holders: request.held.map(\.job), wanted: request.job)
    )
  }

  /// Returns `nil` if there is no room for the keys.
  private func number(of stake: Stake) -> Order.Stake? {
    guard let owner = number(ofOwner: stake) else { return nil }
    var keys: [Int]?
    if let known = stake.keys {
      var numbers: [Int] = []
      for key in known {
        guard let number = number(of: key, owner) else { return nil }
        numbers.append(number)
      }
      keys = numbers.sorted()
    }
    return Order.Stake(
      owner: owner, keys: keys, mode: mode(of: stake), slots: stake.slots, goesFirst: stake.goesFirst)
  }

  private func mode(of stake: Stake) -> Order.Stake.Mode {
    switch stake.mode {
    case .alone: return .alone
    case .shared: return .shared
    case .drain: return .drain
    case .joined(let value, let failure): return .joined(number(of: [value, failure]))
    case .joins(let value, let failure): return .joins(number(of: [value, failure]))
    }
  }

  private func number(of types: [ObjectIdentifier]) -> Int {
    contents.withLock { contents in
      let number = contents.names.types[types] ?? contents.names.types.count
      contents.names.types[types] = number
      return number
    }
  }

  private func number(ofOwner stake: Stake) -> Int? {
    let owner = Owner(identity: stake.owner, label: stake.label)
    return contents.withLock { contents in
      if contents.isOver { return nil }
      if let number = contents.names.owners[owner] { return number }
      guard contents.names.labels.count < limit else { return nil }
      contents.names.owners[owner] = contents.names.labels.count
      contents.names.labels.append(stake.label)
      contents.names.places.append(KeptPlace(of: stake.owner))
      return contents.names.labels.count - 1
    }
  }

  private func number(of key: Stake.Key, _ owner: Int) -> Int? {
    let place = Place(owner: owner, hash: key.hash)
    var (compared, name) = (0, String?.none)
    while true {
      let known = contents.withLock { $0.names.keys[place] ?? [] }
      if let equal = known.dropFirst(compared).first(where: { key.key.isEqual(to: $0.key) }) { return equal.number }
      compared = known.count
      let described = name ?? "\(key.key)"
      name = described
      let count = compared
      let (number, hasRoom) = contents.withLock { contents -> (Int?, Bool) in
        guard !contents.isOver, contents.names.keyNames.count < 4 * limit else { return (nil, false) }
        // An equal key may have been added meanwhile.
        guard contents.names.keys[place]?.count ?? 0 == count else { return (nil, true) }
        contents.names.keys[place, default: []].append(KnownKey(key: key.key, number: contents.names.keyNames.count))
        contents.names.keyNames.append(described)
        return (contents.names.keyNames.count - 1, true)
      }
      if number != nil || !hasRoom { return number }
    }
  }
}

extension Hashable {
  fileprivate func isEqual(to other: any Hashable) -> Bool { (other as? Self) == self }
}

// MARK: - Finding

extension OrderRecorder {
  /// Ends the recording, and returns what was found.
  @_spi(Testing) public func finish() -> [PotentialDeadlock] {
    let recorded = contents.withLock { contents -> Contents in
      let recorded = contents
      contents = Contents(order: Order(limit: 0), isOver: true)
      return recorded
    }
    let rejections = recorded.rejections.values.sorted { $0.number < $1.number }.map(\.deadlock)
    return Findings(recorded.order, labels: recorded.names.labels, keys: recorded.names.keyNames).all(and: rejections)
  }
}
