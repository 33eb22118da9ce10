extension Schema {
  /// Combinations of properties that no two models of `T` share.
  public final class Unique<T: PersistentModel>: SchemaProperty, CustomDebugStringConvertible {
    public let constraints: [[PartialKeyPath<T>]]
    public var name = "Unique"
    public var originalName = "Unique"
    public var valueType: any Any.Type = Any.self
    private let names: [[String]]

    public init(_ constraints: [PartialKeyPath<T>]...) {
      self.constraints = constraints
      names = constraints.map { $0.map(KeyPathName.path) }
    }

    public enum CodingKeys: CodingKey { case constraints }

    /// Key paths can't be made from text: what was decoded knows the names only.
    public init(from decoder: any Decoder) throws {
      constraints = []
      names = try decoder.container(keyedBy: CodingKeys.self).decode(
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

/// A constraint or an index seen without its model's type: property paths, such as `location.name`.
package protocol PropertyPaths {
  var propertyPaths: [[String]] { get }
}

extension Schema.Unique: PropertyPaths {
  package var propertyPaths: [[String]] { names }
}

/// The property names that a key path passes, joined by dots.
package enum KeyPathName {
  package static func path(_ keyPath: AnyKeyPath) -> String {
    // `\Quake.location.name`: the description names properties in release builds too.
    let description = keyPath.debugDescription
    guard let dot = description.firstIndex(of: ".") else { return description }
    return String(description[description.index(after: dot)...].filter { $0 != "?" && $0 != "!" })
  }
}
