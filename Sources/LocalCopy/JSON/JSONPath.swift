/// A place in a JSON document: the keys and the indices that lead to it from the root.
///
/// Written as in `"features"`, `"response.items"` or `["a.b", 3]`; printed as in
/// `$.features[12].properties.mag`. The empty path is the root of the document.
public struct JSONPath: Sendable, Hashable {
  /// One step of a path.
  public enum Component: Sendable, Hashable {
    /// The member of an object with this key.
    case key(String)
    /// The element of an array at this position, counted from zero.
    case index(Int)
  }

  /// The steps from the root, outermost first.
  public var components: [Component]

  /// The root of the document.
  public static let root = JSONPath([])

  /// Creates a path from its steps.
  /// - Parameter components: the steps from the root, outermost first.
  public init(_ components: [Component]) {
    self.components = components
  }

  /// Creates a path from the coding path of a decoding error.
  /// - Parameter codingPath: the coding path, relative to the root of the document.
  public init(codingPath: [any CodingKey]) {
    components = codingPath.map { key in
      key.intValue.map(Component.index) ?? .key(key.stringValue)
    }
  }

  /// Returns this path extended by another path.
  /// - Parameter other: the steps to add, relative to this path.
  /// - Returns: the path from the root.
  public func appending(_ other: JSONPath) -> JSONPath {
    JSONPath(components + other.components)
  }
}

extension JSONPath {
  /// The path with limited keys, for reports and errors: the keys of a document have any length, and reports are
  /// stored. What is left out is marked by an ellipsis.
  var shortened: JSONPath {
    let (bytesOfKey, bytesOfPath, count) = (256, 1_024, 64)
    var room = bytesOfPath
    var shortened: [Component] = []
    for component in components {
      guard room > 0, shortened.count < count else {
        shortened.append(.key("…"))
        break
      }
      guard case .key(let key) = component, key.utf8.count > min(room, bytesOfKey) else {
        shortened.append(component)
        if case .key(let key) = component { room -= key.utf8.count }
        continue
      }
      var rest = min(room, bytesOfKey)
      room -= rest
      let kept = key.unicodeScalars.prefix { scalar in
        rest -= UTF8.width(scalar)
        return rest >= 0
      }
      shortened.append(.key(String(kept) + "…"))
    }
    return JSONPath(shortened)
  }
}

extension JSONPath: ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
  /// Creates a path of keys separated by full stops; the empty literal is the root.
  public init(stringLiteral value: String) {
    self.init(value.split(separator: ".").map { .key(String($0)) })
  }

  /// Creates a path from its steps, for keys that contain a full stop.
  public init(arrayLiteral elements: Component...) {
    self.init(elements)
  }
}

extension JSONPath.Component: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  /// The member with this key.
  public init(stringLiteral value: String) { self = .key(value) }
  /// The element at this position, counted from zero.
  public init(integerLiteral value: Int) { self = .index(value) }
}

extension JSONPath: CustomStringConvertible {
  /// The path in readable form: `$.features[12].properties.mag`.
  public var description: String {
    var text = "$"
    for component in components {
      switch component {
      case .index(let index):
        text += "[\(index)]"
      case .key(let key) where key.isPlainName:
        text += ".\(key)"
      case .key(let key):
        text += "[\"\(key.printable(limit: 64))\"]"
      }
    }
    return text
  }
}

extension JSONPath: Codable {
  /// Decodes a path from an array of keys and indices.
  public init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    components = []
    while !container.isAtEnd {
      components.append(try container.decode(Component.self))
    }
  }

  /// Encodes the path as an array of keys and indices.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for component in components { try container.encode(component) }
  }
}

extension JSONPath.Component: Codable {
  /// Decodes a step: a number is an index, a string is a key.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    do {
      self = .index(try container.decode(Int.self))
    } catch DecodingError.typeMismatch {
      self = .key(try container.decode(String.self))
    }
  }

  /// Encodes the step: an index as a number, a key as a string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .key(let key): try container.encode(key)
    case .index(let index): try container.encode(index)
    }
  }
}

extension String {
  /// Whether the key can be written after a full stop without ambiguity.
  fileprivate var isPlainName: Bool {
    !isEmpty && utf8.count <= 64
      && utf8.allSatisfy { byte in
        (byte >= 0x61 && byte <= 0x7A) || (byte >= 0x41 && byte <= 0x5A)
          || (byte >= 0x30 && byte <= 0x39) || byte == 0x5F || byte == 0x2D
      }
  }

  /// Returns the text with control characters, quotation marks and direction marks escaped and its
  /// length limited: text of a feed may end up in error messages on terminals.
  package func printable(limit: Int) -> String {
    var text = ""
    for (count, scalar) in unicodeScalars.enumerated() {
      if count == limit { return text + "…" }
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned:
        text += "\\u{\(String(scalar.value, radix: 16))}"
      default:
        if scalar == "\"" || scalar == "\\" { text += "\\" }
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
