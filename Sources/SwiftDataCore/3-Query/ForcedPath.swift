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

  /// The steps up to the last value that is unwrapped, each of which starts at the value of the step before.
  private let steps: [AnyKeyPath]

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

  /// Finds the steps by the descriptions of stored properties of models.
  ///
  /// - Returns: nil where the key path unwraps another value than that of such a property.
  package init?(_ keyPath: AnyKeyPath) {
    var steps: [AnyKeyPath] = []
    var type: any Any.Type = Swift.type(of: keyPath).rootType
    guard var rest = Self.afterRoot(keyPath.debugDescription) else { return nil }
    while rest.contains("!") {
      guard rest.first == ".", let model = type as? any PersistentModel.Type else { return nil }
      let properties = Self.properties(of: model)
      if let step = properties.first(where: { Self.begins(rest, with: $0) }),
        let text = Self.afterRoot(step.debugDescription)
      {
        steps.append(step)
        rest = rest.dropFirst(text.count)
      } else if steps.isEmpty,
        let step = properties.first(where: { KeyPathIdentity.begins(keyPath, with: $0) }),
        let end = rest.firstRange(of: ")>")
      {
        // The getter of an inherited property has another address in each class.
        steps.append(step)
        rest = rest[end.upperBound...]
      } else {
        return nil
      }
      if let mark = rest.first, "?!".contains(mark) { rest = rest.dropFirst() }
      type = PropertyShape.unwrapped(steps.last.map { Swift.type(of: $0).valueType } ?? type).type
    }
    self.steps = steps
  }

  /// Whether reading the key path from a model would unwrap nil.
  package func meetsNil(_ model: Any) -> Bool {
    var value = model
    for step in steps {
      guard let next = PropertyShape.content(of: ConstantOperations.member(step, of: value)) else {
        return true
      }
      value = next
    }
    return false
  }

  /// The description of a key path from the first dot on.
  private static func afterRoot(_ description: String) -> Substring? {
    description.firstIndex(of: ".").map { description[$0...] }
  }

  /// Whether a description goes on with the step of a property.
  private static func begins(_ rest: Substring, with step: AnyKeyPath) -> Bool {
    guard let text = afterRoot(step.debugDescription), rest.hasPrefix(text) else { return false }
    return rest.dropFirst(text.count).first.map { ".?!".contains($0) } ?? true
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
