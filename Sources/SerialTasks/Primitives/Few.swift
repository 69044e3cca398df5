/// A list of nearly always at most one element, which then allocates nothing.
@usableFromInline
package enum Few<Element: Sendable>: Sendable {
  case none
  case one(Element)
  case many([Element])

  @_alwaysEmitIntoClient package mutating func append(_ element: Element) {
    switch self {
    case .none: self = .one(element)
    case .one(let first): self = .many([first, element])
    case .many(var elements):
      self = .none  // so that the array is not copied
      elements.append(element)
      self = .many(elements)
    }
  }

  @_alwaysEmitIntoClient package func forEach(_ body: (Element) -> Void) {
    switch self {
    case .none: break
    case .one(let element): body(element)
    case .many(let elements): for element in elements { body(element) }
    }
  }

  @_alwaysEmitIntoClient package var isEmpty: Bool { if case .none = self { true } else { false } }

  @_alwaysEmitIntoClient package mutating func removeLast() -> Element? {
    switch self {
    case .none: return nil
    case .one(let element):
      self = .none
      return element
    case .many(var elements):
      self = .none  // so that the array is not copied
      let last = elements.removeLast()
      if !elements.isEmpty { self = .many(elements) }
      return last
    }
  }

  @_alwaysEmitIntoClient package mutating func removeFirst(where isMeant: (Element) -> Bool) -> Element? {
    switch self {
    case .none: return nil
    case .one(let element):
      guard isMeant(element) else { return nil }
      self = .none
      return element
    case .many(var elements):
      guard let index = elements.firstIndex(where: isMeant) else { return nil }
      let element = elements.remove(at: index)
      self = .many(elements)
      return element
    }
  }
}
