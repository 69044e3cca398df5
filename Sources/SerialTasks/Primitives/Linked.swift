/// An element of a ``LinkedList``, which contains its own links.
@usableFromInline
package class Linked {
  // Everything is accessed only under the lock around the list.

  @exclusivity(unchecked) fileprivate final var next: Linked?
  /// Safe because the previous element retains this one, and this reference is cleared before that element is released.
  @exclusivity(unchecked) fileprivate final var previous: Unmanaged<Linked>?

  @usableFromInline package init() {}
}

/// An element of two lists at once; safe like ``Linked``.
@usableFromInline
package class TwiceLinked: Linked {
  @exclusivity(unchecked) fileprivate final var secondNext: Linked?
  @exclusivity(unchecked) fileprivate final var secondPrevious: Unmanaged<Linked>?
  // For the lists' owner, because one more byte elsewhere would take eight.

  /// Unchanged once other code has seen the element; read without the lock.
  @exclusivity(unchecked) package final var note: UInt8 = 0
  @exclusivity(unchecked) package final var ready: UInt8 = 0

  @usableFromInline package override init() {}
}

/// A first-in, first-out list that allocates nothing; O(1), unless a call visits every element.
@usableFromInline
package struct LinkedList<Element: Linked>: ~Copyable {
  @usableFromInline var chain: Chain

  @usableFromInline package init() { chain = Chain() }

  /// Makes a list by the second links of its elements.
  package init(bySecondLinks isSecond: Bool) where Element: TwiceLinked { chain = Chain(isSecond: isSecond) }

  @inline(__always)
  package var isBySecondLinks: Bool { chain.isSecond }

  @_alwaysEmitIntoClient package var first: Element? { Self.element(chain.first) }

  package var last: Element? { Self.element(chain.last?.takeUnretainedValue()) }

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
  private(set) var last: Unmanaged<Linked>?
  @usableFromInline private(set) var count = 0
  /// Whether the elements are in this list by their second links.
  let isSecond: Bool

  @usableFromInline init(isSecond: Bool = false) { self.isSecond = isSecond }
}

extension Linked {
  /// Safe because only such elements are in a list by second links.
  @inline(__always)
  private final var twice: TwiceLinked { unsafeDowncast(self, to: TwiceLinked.self) }

  @inline(__always)
  fileprivate final func next(_ isSecond: Bool) -> Linked? { isSecond ? twice.secondNext : next }

  @inline(__always)
  fileprivate final func takeNext(_ isSecond: Bool) -> Linked? { isSecond ? twice.secondNext.take() : next.take() }

  @inline(__always)
  fileprivate final func setNext(_ isSecond: Bool, _ element: Linked?) {
    if isSecond { twice.secondNext = element } else { next = element }
  }

  @inline(__always)
  fileprivate final func previous(_ isSecond: Bool) -> Unmanaged<Linked>? { isSecond ? twice.secondPrevious : previous }

  @inline(__always)
  fileprivate final func setPrevious(_ isSecond: Bool, _ element: Unmanaged<Linked>?) {
    if isSecond { twice.secondPrevious = element } else { previous = element }
  }
}

// MARK: - Adding, removing

extension Chain {
  @inline(__always)
  func next(of element: Linked) -> Linked? { element.next(isSecond) }

  @inline(__always)
  func previous(of element: Linked) -> Unmanaged<Linked>? { element.previous(isSecond) }

  private func isAbsent(_ element: Linked) -> Bool {
    next(of: element) == nil && previous(of: element) == nil && element !== first
  }

  @usableFromInline
  mutating func append(_ element: Linked) {
    assert(isAbsent(element), "the element is in a list already")
    if let last {
      last._withUnsafeGuaranteedRef { $0.setNext(isSecond, element) }
      element.setPrevious(isSecond, last)
    } else {
      first = element
    }
    last = Unmanaged.passUnretained(element)
    count += 1
  }

  mutating func insert(_ element: Linked, before next: Linked?) {
    guard let next else { return append(element) }
    assert(isAbsent(element), "the element is in a list already")
    let previous = previous(of: next)
    element.setNext(isSecond, next)
    element.setPrevious(isSecond, previous)
    if let previous { previous._withUnsafeGuaranteedRef { $0.setNext(isSecond, element) } } else { first = element }
    next.setPrevious(isSecond, Unmanaged.passUnretained(element))
    count += 1
  }

  @usableFromInline
  mutating func remove(_ element: Linked) {
    assert(!isAbsent(element), "the element is not in this list")
    let next = element.takeNext(isSecond)
    count -= 1
    guard let previous = previous(of: element) else { return restart(at: next) }
    element.setPrevious(isSecond, nil)
    if let next { next.setPrevious(isSecond, previous) } else { last = previous }
    previous._withUnsafeGuaranteedRef { $0.setNext(isSecond, next) }
  }

  private mutating func restart(at next: consuming Linked?) {
    if let next { next.setPrevious(isSecond, nil) } else { last = nil }
    first = next
  }

  @usableFromInline
  mutating func dropFirst() {
    restart(at: first!.takeNext(isSecond))
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
    let next = chain.next(of: old)
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
  // Safe to be used while the element is in the list.

  @inline(__always)
  package var unretainedLast: Unmanaged<Element>? { chain.last.map(Self.unretained) }

  @inline(__always)
  private static func unretained(_ element: Unmanaged<Linked>) -> Unmanaged<Element> {
    Unmanaged<Element>.fromOpaque(element.toOpaque())
  }

  @inline(__always)
  package func unretained(after element: Element) -> Unmanaged<Element>? {
    Self.element(chain.next(of: element)).map(Unmanaged.passUnretained)
  }

  @inline(__always)
  package func isFirst(_ element: Element) -> Bool { chain.previous(of: element) == nil }

  @usableFromInline package func after(_ element: Element) -> Element? { Self.element(chain.next(of: element)) }

  @inline(never)
  package func before(_ element: Element) -> Element? {
    Self.element(chain.previous(of: element)?.takeUnretainedValue())
  }

  /// Allows the closure to remove its element.
  @_alwaysEmitIntoClient package func forEach(_ body: (Element) -> Void) {
    var next = first
    while let element = next {
      next = after(element)
      body(element)
    }
  }

  package var elements: [Element] {
    var elements: [Element] = []
    forEach { elements.append($0) }
    return elements
  }
}
