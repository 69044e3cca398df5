/// An element of a ``LinkedList``, which contains its own links.
@usableFromInline
package class Linked {
  // Everything is accessed only under the lock around the list. Links are safe because they are cleared before the element
  // is released to which they lead: a list retains its elements once, and not through them.

  @exclusivity(unchecked) fileprivate final var next: Unmanaged<Linked>?
  @exclusivity(unchecked) fileprivate final var previous: Unmanaged<Linked>?

  @usableFromInline package init() {}
}

/// An element of two lists at once; safe like ``Linked``.
@usableFromInline
package class TwiceLinked: Linked {
  @exclusivity(unchecked) fileprivate final var secondNext: Unmanaged<Linked>?
  @exclusivity(unchecked) fileprivate final var secondPrevious: Unmanaged<Linked>?
  // For the lists' owner, because one more byte elsewhere would take eight.

  /// Unchanged once other code has seen the element; read without the lock.
  @exclusivity(unchecked) package internal(set) final var note: UInt8 = 0
  @exclusivity(unchecked) package internal(set) final var ready: UInt8 = 0

  @usableFromInline package override init() {}
}

/// A first-in, first-out list that allocates nothing; O(1), unless a call visits every element.
@usableFromInline
package struct LinkedList<Element: Linked>: ~Copyable {
  @usableFromInline var chain: Chain

  @usableFromInline package init() { chain = Chain() }

  /// Makes a list by the second links of its elements, which does not retain them: something else must.
  package init(bySecondLinks isSecond: Bool) where Element: TwiceLinked { chain = Chain(isSecond: isSecond) }

  @inline(__always)
  var isBySecondLinks: Bool { chain.isSecond }

  @_alwaysEmitIntoClient package var first: Element? { Self.element(chain.first?.takeUnretainedValue()) }

  @_alwaysEmitIntoClient package var last: Element? { Self.element(chain.last?.takeUnretainedValue()) }

  @_alwaysEmitIntoClient package var count: Int { chain.count }

  @_alwaysEmitIntoClient package var isEmpty: Bool { chain.first == nil }

  /// Safe because all elements of a list have its type; a check takes 35 instructions at each step.
  @_alwaysEmitIntoClient @inline(__always)
  static func element(_ linked: Linked?) -> Element? { linked == nil ? nil : unsafeDowncast(linked!, to: Element.self) }
}

/// The list without the type of its elements, compiled once.
@usableFromInline
struct Chain: ~Copyable {
  @usableFromInline private(set) var first: Unmanaged<Linked>?
  @usableFromInline private(set) var last: Unmanaged<Linked>?
  @usableFromInline private(set) var count = 0
  /// Whether the elements are in this list by their second links.
  let isSecond: Bool

  @usableFromInline init(isSecond: Bool = false) { self.isSecond = isSecond }

  @inlinable
  deinit { releaseAll() }

  @usableFromInline @inline(never)
  func releaseAll() {
    var rest = isSecond ? nil : first
    while let element = rest {
      element._withUnsafeGuaranteedRef { (rest, $0.next, $0.previous) = ($0.next, nil, nil) }
      element.release()
    }
  }
}

extension Linked {
  /// Safe because only such elements are in a list by second links.
  @inline(__always)
  private final var twice: TwiceLinked { unsafeDowncast(self, to: TwiceLinked.self) }

  @inline(__always)
  fileprivate final func next(_ isSecond: Bool) -> Unmanaged<Linked>? { isSecond ? twice.secondNext : next }

  @inline(__always)
  fileprivate final func setNext(_ isSecond: Bool, _ element: Unmanaged<Linked>?) {
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
  func next(of element: Linked) -> Unmanaged<Linked>? { element.next(isSecond) }

  @inline(__always)
  func previous(of element: Linked) -> Unmanaged<Linked>? { element.previous(isSecond) }

  private func isAbsent(_ element: Linked) -> Bool {
    next(of: element) == nil && previous(of: element) == nil && first?.toOpaque() != Self.link(to: element).toOpaque()
  }

  @inline(__always)
  private static func link(to element: Linked) -> Unmanaged<Linked> { .passUnretained(element) }

  /// Lets one element follow another; `nil` stands for the ends of the list.
  @inline(__always)
  private mutating func join(_ previous: Unmanaged<Linked>?, _ next: Unmanaged<Linked>?) {
    if let previous { previous._withUnsafeGuaranteedRef { $0.setNext(isSecond, next) } } else { first = next }
    if let next { next._withUnsafeGuaranteedRef { $0.setPrevious(isSecond, previous) } } else { last = previous }
  }

  @inline(__always)
  private mutating func insert(
    _ element: Linked, between previous: Unmanaged<Linked>?, and next: Unmanaged<Linked>?
  ) {
    assert(isAbsent(element), "the element is in a list already")
    let link = Self.link(to: element)
    if !isSecond { _ = link.retain() }
    join(previous, link)
    join(link, next)
    count += 1
  }

  @usableFromInline
  mutating func append(_ element: Linked) { insert(element, between: last, and: nil) }

  mutating func insert(_ element: Linked, before next: Linked?) {
    insert(element, between: next.map { previous(of: $0) } ?? last, and: next.map(Self.link))
  }

  @usableFromInline
  mutating func remove(_ element: Linked) {
    assert(!isAbsent(element), "the element is not in this list")
    join(previous(of: element), next(of: element))
    element.setNext(isSecond, nil)
    element.setPrevious(isSecond, nil)
    count -= 1
    if !isSecond { Self.link(to: element).release() }
  }

  @usableFromInline
  mutating func removeFirst() -> Linked? {
    guard let element = first?.takeUnretainedValue() else { return nil }
    remove(element)
    return element
  }
}

extension LinkedList {
  @_alwaysEmitIntoClient package mutating func append(_ element: Element) { chain.append(element) }

  package mutating func prepend(_ element: Element) { chain.insert(element, before: first) }

  mutating func insert(_ element: Element, before next: Element?) { chain.insert(element, before: next) }

  @_alwaysEmitIntoClient package mutating func remove(_ element: Element) { chain.remove(element) }

  @_alwaysEmitIntoClient package mutating func removeFirst() -> Element? { Self.element(chain.removeFirst()) }

  package mutating func replace(_ old: Element, by new: Element) {
    let next = after(old)
    remove(old)
    insert(new, before: next)
  }

  @_alwaysEmitIntoClient package mutating func removeAll(_ body: (Element) -> Void) {
    while let element = removeFirst() { body(element) }
  }
}

// MARK: - Looking

extension LinkedList {
  // Safe to be used while the element is in the list.

  @inline(__always)
  var unretainedLast: Unmanaged<Element>? { chain.last.map(Self.unretained) }

  @inline(__always)
  private static func unretained(_ element: Unmanaged<Linked>) -> Unmanaged<Element> {
    Unmanaged<Element>.fromOpaque(element.toOpaque())
  }

  @inline(__always)
  func unretained(after element: Element) -> Unmanaged<Element>? {
    chain.next(of: element).map(Self.unretained)
  }

  @inline(__always)
  func isFirst(_ element: Element) -> Bool { chain.previous(of: element) == nil }

  @usableFromInline package func after(_ element: Element) -> Element? {
    Self.element(chain.next(of: element)?.takeUnretainedValue())
  }

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
}
