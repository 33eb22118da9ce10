import Foundation
import Synchronization

/// A key path with forced unwraps, such as `\Book.author!.name`. Reading it ends the process where one of the unwrapped
/// values is nil, so these values are read first, step by step.
package struct ForcedPath {
  private struct Key: Hashable, @unchecked Sendable {
    // Unchecked: key paths without captured subscript arguments are immutable.
    let keyPath: AnyKeyPath
  }

  private static let forced = Mutex<[Key: Bool]>([:])

  private enum Step {
    /// A stored property of a model.
    case property(AnyKeyPath)
    /// A member of a structure.
    case member(KeyPathComponent)
    /// The value inside an optional. With the flag, the key path leads to nil where there is none, without unwrapping
    /// it by force.
    case content(isChained: Bool)
  }

  /// The steps up to the last value that is unwrapped, each of which starts at the value of the step before.
  private let steps: [Step]

  /// Whether the key path unwraps a value by force.
  package static func isForced(_ keyPath: AnyKeyPath) -> Bool {
    let key = Key(keyPath: keyPath)
    if let known = forced.withLock({ $0[key] }) { return known }
    let isForced = keyPath.debugDescription.contains("!")
    forced.withLock { $0[key] = isForced }
    return isForced
  }

  /// A test whether reading a key path from a model, or writing to it, may end the process; nil for a key path that
  /// unwraps nothing by force.
  package static func mayFail(_ keyPath: AnyKeyPath) -> ((Any) -> Bool)? {
    guard isForced(keyPath) else { return nil }
    guard let path = ForcedPath(keyPath) else { return { _ in true } }
    return path.meetsNil
  }

  /// Finds the steps through stored properties of models and members of structures.
  ///
  /// - Returns: nil where the key path unwraps another value than that of such a property or member.
  package init?(_ keyPath: AnyKeyPath) {
    let components = KeyPathComponent.components(of: keyPath)
    guard let last = components.lastIndex(where: { $0.kind == .forcing }),
      components.count(where: { $0.kind == .forcing })
        == keyPath.debugDescription.count(where: { $0 == "!" })
    else { return nil }
    // A `?` leads to the end of the key path, or to the optional around the value of a part of it. There is none around
    // a value that is optional itself, which the next part may unwrap by force.
    let isChained =
      type(of: keyPath).valueType is any OptionalType.Type
      && !components[..<last].contains { $0.kind == .wrapping }
    var steps: [Step] = []
    for component in components[...last] {
      switch component.kind {
      case .member:
        steps.append(.member(component))
      case .property(let identity):
        guard let step = Self.property(identity, of: component.root) else { return nil }
        steps.append(.property(step))
      case .chaining: steps.append(.content(isChained: isChained))
      case .forcing: steps.append(.content(isChained: false))
      case .wrapping: continue
      }
    }
    self.steps = steps
  }

  /// Whether reading the key path from a model would unwrap nil.
  package func meetsNil(_ model: Any) -> Bool {
    var value = model
    for step in steps {
      switch step {
      case .property(let keyPath):
        guard let next = ConstantOperations.member(keyPath, of: value) else { return true }
        value = next
      case .member(let component):
        guard let next = component.member(of: value) else { return true }
        value = next
      case .content(let isChained):
        guard let content = PropertyShape.content(of: value) else { return !isChained }
        value = content
      }
    }
    return false
  }

  /// The key path of a stored property of a class or its superclasses; nil for another type or property.
  private static func property(
    _ identity: KeyPathComponent.Identity, of type: any Any.Type
  ) -> AnyKeyPath? {
    guard let model = type as? any PersistentModel.Type else { return nil }
    return properties(of: model).first {
      KeyPathComponent.components(of: $0).first?.kind == .property(identity)
    }
  }

  /// The key paths of the stored properties of a class and its superclasses.
  private static func properties(of model: any PersistentModel.Type) -> [AnyKeyPath] {
    var found: [AnyKeyPath] = []
    var next: (any PersistentModel.Type)? = model
    while let type = next {
      for property in type.schemaMetadata where !(property.metadata is any PropertyPaths) {
        found.append(property.keypath)
      }
      next = ModelInheritance.superclass(of: type)
    }
    return found
  }
}

extension SwiftDataError {
  /// The error of a key path that may unwrap nil by force.
  package static func forcedUnwrap(of model: any PersistentModel.Type) -> SwiftDataError {
    unsupportedKeyPath.explained(
      "A key path of \(model) unwraps a value by force that may be nil. Use ? in place of !, or leave such models"
        + " out.")
  }
}
