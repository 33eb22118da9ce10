extension Schema {
  /// The combinations of properties that must be unique among the models of `T`.
  public final class Unique<T: PersistentModel>: SchemaProperty, CustomDebugStringConvertible {
    /// The key paths whose values together are unique, for each constraint.
    public let constraints: [[PartialKeyPath<T>]]
    public var name = "Unique"
    public var originalName = "Unique"
    public var valueType: any Any.Type = Any.self
    private let decodedNames: [[String]]?

    /// Creates constraints.
    public init(_ constraints: [PartialKeyPath<T>]...) {
      self.constraints = constraints
      decodedNames = nil
    }

    /// Computed on access: key paths can't be inspected while the model's metadata is being built.
    fileprivate var names: [[String]] {
      decodedNames ?? constraints.map { $0.map(KeyPathName.path) }
    }

    /// The keys of the encoded form.
    public enum CodingKeys: CodingKey {
      /// The constraints.
      case constraints
    }

    /// Decodes the names only: key paths can't be made from text.
    public init(from decoder: any Decoder) throws {
      constraints = []
      decodedNames = try decoder.container(keyedBy: CodingKeys.self).decode(
        [[String]].self, forKey: .constraints)
    }

    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(names, forKey: .constraints)
    }

    public var isUnique: Bool { true }
    public var debugDescription: String { "Schema.Unique(\(names))" }
    public static func == (lhs: Unique<T>, rhs: Unique<T>) -> Bool { lhs.names == rhs.names }
    public func hash(into hasher: inout Hasher) { hasher.combine(names) }
  }
}

/// A constraint or an index, independent of its model's type: property paths, such as `location.name`.
package protocol PropertyPaths {
  var propertyPaths: [[String]] { get }
  /// The positions of the spatial indices among the paths.
  var spatialPositions: Set<Int> { get }
}

extension PropertyPaths {
  package var spatialPositions: Set<Int> { [] }
}

extension Schema.Unique: PropertyPaths {
  package var propertyPaths: [[String]] { names }
}

/// The names of the properties along a key path, joined by dots.
package enum KeyPathName {
  /// The path that a key path describes. A key path's description names stored properties only; a model's own
  /// properties are computed, so the first one is found through the model's metadata.
  package static func path(_ keyPath: AnyKeyPath) -> String {
    let description = keyPath.debugDescription
    if let model = type(of: keyPath).rootType as? any PersistentModel.Type {
      for property in model.schemaMetadata where !(property.metadata is any PropertyPaths) {
        if KeyPathIdentity.isSame(property.keypath, keyPath) { return property.name }
        let prefix = property.keypath.debugDescription
        let rest = description.dropFirst(prefix.count)
        if description.hasPrefix(prefix), let next = rest.first, ".?!".contains(next) {
          return property.name + rest.filter { $0 != "?" && $0 != "!" }
        }
      }
    }
    guard let dot = description.firstIndex(of: ".") else { return description }
    return String(description[description.index(after: dot)...].filter { $0 != "?" && $0 != "!" })
  }
}
