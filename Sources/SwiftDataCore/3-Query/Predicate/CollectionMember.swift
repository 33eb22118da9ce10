import Foundation

/// A member that every collection has.
package enum CollectionMember {
  case count, isEmpty
  /// The first or the last element.
  case element

  /// - Returns: nil for any other key path.
  package init?(_ keyPath: AnyKeyPath) {
    func open<Root>(_ root: Root.Type) -> CollectionMember? {
      func open<Value>(_ value: Value.Type) -> CollectionMember? {
        (keyPath as? KeyPath<Root, Value>).flatMap(Self.member)
      }
      return _openExistential(type(of: keyPath).valueType, do: open)
    }
    guard let member = _openExistential(type(of: keyPath).rootType, do: open) else { return nil }
    self = member
  }

  /// The member as Foundation recognizes it. Its node has a Sendable key path, which isn't a
  /// difference at run time.
  private static func member<Root, Value>(_ keyPath: KeyPath<Root, Value>) -> CollectionMember? {
    let node = PredicateExpressions.KeyPath(
      root: PredicateExpressions.Variable<Root>(),
      keyPath: unsafeBitCast(keyPath, to: (any KeyPath<Root, Value> & Sendable).self))
    switch node.kind {
    case .collectionCount: return .count
    case .collectionIsEmpty: return .isEmpty
    case .collectionFirst, .bidirectionalCollectionLast: return .element
    case nil: return nil
    @unknown default: return nil
    }
  }
}
