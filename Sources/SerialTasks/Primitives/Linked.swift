/// What can be in a ``LinkedList``: it carries its own links, so a list allocates nothing.
@usableFromInline
package class Linked: @unchecked Sendable {
  // Safe because all is reached only under the lock that the list is behind.

  @exclusivity(unchecked) @usableFromInline package final fileprivate(set) var next: Linked?
  /// Safe because the element before this one is in the same list and holds this one, and the list clears this before it lets that
  /// one go.
  @exclusivity(unchecked) package final fileprivate(set) unowned(unsafe) var previous: Linked?
  /// What the owner of the list notes of the element; here, because one more byte elsewhere would take eight.
  @exclusivity(unchecked) package final var note: UInt8 = 0

  @usableFromInline package init() {}
}

/// A first-in, first-out list whose elements are linked through themselves: no allocation, and O(1) to add one, to take the first, and
/// to take out any.
@usableFromInline
package struct LinkedList<Element: Linked>: ~Copyable, Sendable {
  @usableFromInline var chain = Chain()

  @usableFromInline package init() {}

  @_alwaysEmitIntoClient package var first: Element? { Self.element(chain.first) }

  package var last: Element? { Self.element(chain.last) }

  @_alwaysEmitIntoClient package var count: Int { chain.count }

  @_alwaysEmitIntoClient package var isEmpty: Bool { chain.first == nil }

  /// Safe because all elements of a list are of its type.
  @_alwaysEmitIntoClient @inline(__always)
  static func element(_ linked: Linked?) -> Element? { linked.map { unsafeDowncast($0, to: Element.self) } }
}

/// What a list is, whatever the type of its elements, so that it is compiled once.
@usableFromInline
struct Chain: ~Copyable, Sendable {
  @usableFromInline private(set) var first: Linked?
  /// Safe because the last element is held by the one before it, or by `first`.
  private(set) unowned(unsafe) var last: Linked?
  @usableFromInline private(set) var count = 0
}

// MARK: - Adding, removing

extension Chain {
  @usableFromInline
  mutating func append(_ element: Linked) {
    assert(element.next == nil && element.previous == nil && element !== first, "the element is in a list already")
    if let last {
      // The list holds it, so it needs not be retained.
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
    let (next, previous) = (element.next, element.previous)
    element.next = nil
    element.previous = nil
    if let next { next.previous = previous } else { last = previous }
    if let previous { previous.next = next } else { first = next }
    count -= 1
  }

  @usableFromInline
  mutating func dropFirst() {
    let next = first!.next.take()
    if let next { next.previous = nil } else { last = nil }
    first = next
    count -= 1
  }
}

extension LinkedList {
  @_alwaysEmitIntoClient package mutating func append(_ element: Element) { chain.append(element) }

  package mutating func prepend(_ element: Element) { chain.insert(element, before: chain.first) }

  /// Adds the element before another, or at the end.
  package mutating func insert(_ element: Element, before next: Element?) { chain.insert(element, before: next) }

  @_alwaysEmitIntoClient package mutating func remove(_ element: Element) { chain.remove(element) }

  @_alwaysEmitIntoClient package mutating func removeFirst() -> Element? {
    guard let element = first else { return nil }
    chain.dropFirst()
    return element
  }

  /// Takes out the first element, which is held elsewhere; the list must not be empty.
  package mutating func dropFirst() { chain.dropFirst() }

  /// Puts another element in the place of one.
  package mutating func replace(_ old: Element, by new: Element) {
    let next = old.next
    remove(old)
    chain.insert(new, before: next)
  }

  /// Takes all of them out, in order, and hands each to the closure.
  @_alwaysEmitIntoClient package mutating func removeAll(_ body: (Element) -> Void) {
    while let element = removeFirst() { body(element) }
  }

  /// Takes all of them out, in order.
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

  /// Hands each to the closure, in order; the closure may take out the one that it is given.
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
