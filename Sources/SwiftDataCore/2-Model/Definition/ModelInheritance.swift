import Synchronization

/// The inheritance relations between model classes.
package enum ModelInheritance {
  /// The nearest superclass that is a model.
  package static func superclass(
    of type: any PersistentModel.Type
  ) -> (any PersistentModel.Type)? {
    var current: AnyClass = type
    while let next = _getSuperclass(current) {
      if let model = next as? any PersistentModel.Type { return model }
      current = next
    }
    return nil
  }

  /// The topmost superclass that is a model; the class itself when it has none.
  package static func root(of type: any PersistentModel.Type) -> any PersistentModel.Type {
    var root = type
    while let next = superclass(of: root) { root = next }
    return root
  }

  package static func isClass(
    _ type: any PersistentModel.Type, orSubclassOf other: any PersistentModel.Type
  ) -> Bool {
    var current: (any PersistentModel.Type)? = type
    while let next = current {
      if next == other { return true }
      current = superclass(of: next)
    }
    return false
  }

  /// The class, `type` or a superclass, that declares the property at `index`.
  package static func declaringClass(
    of index: Int, in type: any PersistentModel.Type
  ) -> any PersistentModel.Type {
    var current = type
    while index < inheritedCount(of: current), let next = superclass(of: current) { current = next }
    return current
  }

  private static let counts = Mutex<[ObjectIdentifier: Int]>([:])

  /// The number of persisted properties that come from superclasses.
  package static func inheritedCount(of type: any PersistentModel.Type) -> Int {
    let key = ObjectIdentifier(type)
    if let known = counts.withLock({ $0[key] }) { return known }
    let properties = superclass(of: type)?.schemaMetadata ?? []
    let count = properties.count { !($0.metadata is any PropertyPaths) }
    counts.withLock { $0[key] = count }
    return count
  }
}

/// The number of persisted properties that `type` has from its superclasses: `@Model` adds it to the positions of the
/// class's own properties.
public func _inheritedPropertyCount(of type: any PersistentModel.Type) -> Int {
  ModelInheritance.inheritedCount(of: type)
}
