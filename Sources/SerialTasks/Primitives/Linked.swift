/// An element of a ``LinkedList``, which contains its own links.
@usableFromInline
package class Linked {
  // Everything is accessed only under the lock around the list.

  @exclusivity(unchecked) @usableFromInline package final fileprivate(set) var next: Linked?
  /// Safe because the previous element retains this one, and this reference is cleared before that element is released.
  @exclusivity(unchecked) package final fileprivate(set) unowned(unsafe) var previous: Linked?
  // For the list's owner, because one more byte elsewhere would take eight.

  /// Unchanged once other code has seen the element; read without the lock.
  @exclusivity(unchecked) package final var note: UInt8 = 0
  @exclusivity(unchecked) package final var isReady = false

  @usableFromInline package init() {}
}

/// A first-in, first-out list that allocates nothing; O(1), unless a call visits every element.
@usableFromInline
package struct LinkedList<Element: Linked>: ~Copyable {
  @usableFromInline var chain = Chain()

  @usableFromInline package init() {}

  @_alwaysEmitIntoClient package var first: Element? { Self.element(chain.first) }

  package var last: Element? { Self.element(chain.last) }

  @_alwaysEmitIntoClient package var count: Int { chain.count }

  @_alwaysEmitIntoClient package var isEmpty: Bool { chain.first == nil }

  /// Safe because all elements of a list have its type; a check takes 35 instructions at each step.
  @_alwaysEmitIntoClient @inline(__always)
  static func element(_ linked: Linked?) -> Element? { linked.map { unsafeDowncast($0, to: Element.self) } }
}

/// The list without the type of its elements, compiled once.
@usableFromInline
struct Chain: ~Copyable {
  @usableFromInline private(set) var first: Linked?
  /// Safe because the last element is retained by the previous one, or by `first`.
  private(set) unowned(unsafe) var last: Linked?
  @usableFromInline private(set) var count = 0
}

// MARK: - Adding, removing

extension Chain {
  @usableFromInline
  mutating func append(_ element: Linked) {
    assert(element.next == nil && element.previous == nil && element !== first, "the element is in a list already")
    if let last {
      // The list retains it: no retain is needed here.
      Unmanaged.passUnretained(last)._withUnsafeGuaranteedRef { $0.next = element }
      element.previous = last
    } else {
      first = element
    }
    last = element
    count += 1
  }

  mutating func insert(_ element: Linked, before next: Linked?) {
    guard let next else { return append(element) }
    assert(element.next == nil && element.previous == nil && element !== first, "the element is in a list already")
    element.next = next
    element.previous = next.previous
    if let previous = next.previous { previous.next = element } else { first = element }
    next.previous = element
    count += 1
  }

  @usableFromInline
  mutating func remove(_ element: Linked) {
    assert(element.previous != nil || first === element, "the element is not in this list")
    let next = element.next.take()
    count -= 1
    guard let previous = element.previous.map(Unmanaged.passUnretained) else { return restart(at: next) }
    element.previous = nil
    previous._withUnsafeGuaranteedRef { previous in
      if let next { next.previous = previous } else { last = previous }
      previous.next = next
    }
  }

  private mutating func restart(at next: consuming Linked?) {
    if let next { next.previous = nil } else { last = nil }
    first = next
  }

  @usableFromInline
  mutating func dropFirst() {
    restart(at: first!.next.take())
    count -= 1
  }
}

extension LinkedList {
  @_alwaysEmitIntoClient package mutating func append(_ element: Element) { chain.append(element) }

  package mutating func prepend(_ element: Element) { chain.insert(element, before: chain.first) }

  package mutating func insert(_ element: Element, before next: Element?) { chain.insert(element, before: next) }

  @_alwaysEmitIntoClient package mutating func remove(_ element: Element) { chain.remove(element) }

  @_alwaysEmitIntoClient package mutating func removeFirst() -> Element? {
    guard let element = first else { return nil }
    chain.dropFirst()
    return element
  }

  /// Removes the first element, which must exist and be retained elsewhere.
  package mutating func dropFirst() { chain.dropFirst() }

  package mutating func replace(_ old: Element, by new: Element) {
    let next = old.next
    remove(old)
    chain.insert(new, before: next)
  }

  @_alwaysEmitIntoClient package mutating func removeAll(_ body: (Element) -> Void) {
    while let element = removeFirst() { body(element) }
  }

  @_alwaysEmitIntoClient package mutating func removeAll() -> [Element] {
    var removed: [Element] = []
    removeAll { removed.append($0) }
    return removed
  }
}

// MARK: - Looking

extension LinkedList {
  package func after(_ element: Element) -> Element? { Self.element(element.next) }

  package func before(_ element: Element) -> Element? { Self.element(element.previous) }

  /// Allows the closure to remove its element.
  @_alwaysEmitIntoClient package func forEach(_ body: (Element) -> Void) {
    var next = first
    while let element = next {
      next = Self.element(element.next)
      body(element)
    }
  }

  package var elements: [Element] {
    var elements: [Element] = []
    forEach { elements.append($0) }
    return elements
  }
}
