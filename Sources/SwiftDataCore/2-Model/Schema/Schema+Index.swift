extension Schema {
  /// The indices by which models of `T` are looked up.
  public final class Index<T: PersistentModel>: SchemaProperty, CustomDebugStringConvertible {
    /// The structure of an index.
    public enum Types<P: PersistentModel> {
      /// An ordered index, for equality, ranges and sorting.
      case binary([PartialKeyPath<P>])
      /// A spatial index over numeric properties.
      case rtree([PartialKeyPath<P>])
    }

    /// The indices, each with its kind.
    public let indices: [Types<T>]
    public var name = "Index"
    public var originalName = "Index"
    public var valueType: any Any.Type = Any.self
    private let decodedNames: [[String]]?

    /// Creates indices of the given kinds.
    public init(_ indices: Types<T>...) {
      self.indices = indices
      decodedNames = nil
    }

    /// Creates ordinary indices over the given properties.
    public init(_ binaryIndices: [PartialKeyPath<T>]...) {
      indices = binaryIndices.map { .binary($0) }
      decodedNames = nil
    }

    /// The kind of each index, followed by its properties. Computed on access: key paths can't be inspected while the
    /// model's metadata is being built.
    fileprivate var names: [[String]] {
      decodedNames
        ?? indices.map { index in
          switch index {
          case .binary(let paths): ["binary"] + paths.map(KeyPathName.path)
          case .rtree(let paths): ["rtree"] + paths.map(KeyPathName.path)
          }
        }
    }

    /// The keys of the encoded form.
    public enum CodingKeys: CodingKey {
      /// The indices.
      case indices
    }

    /// Decodes the names only: key paths can't be made from text.
    public init(from decoder: any Decoder) throws {
      indices = []
      decodedNames = try decoder.container(keyedBy: CodingKeys.self).decode(
        [[String]].self, forKey: .indices)
    }

    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(names, forKey: .indices)
    }

    public var isUnique: Bool { false }
    public var debugDescription: String { "Schema.Index(\(names))" }
    public static func == (lhs: Index<T>, rhs: Index<T>) -> Bool { lhs.names == rhs.names }
    public func hash(into hasher: inout Hasher) { hasher.combine(names) }
  }
}

extension Schema.Index: PropertyPaths {
  package var propertyPaths: [[String]] { names.map { Array($0.dropFirst()) } }
  package var spatialPositions: Set<Int> {
    Set(names.indices.filter { names[$0].first == "rtree" })
  }
}
