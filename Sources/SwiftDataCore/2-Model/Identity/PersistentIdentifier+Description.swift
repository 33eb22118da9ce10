/// The text of an identifier: the URI that Apple's framework and its JSON form use.
extension PersistentIdentifier: CustomStringConvertible {
  /// The identifier as a URI, `x-coredata://<store>/<entity>/p<row>`; `/` and `%` in a name are `%2F` and `%25`.
  ///
  /// Two identifiers have the same text exactly when they are equal, so code that uses the text as the key of sets,
  /// dictionaries or views can distinguish the models. The key is `p` and the row id for a stored model, `t` and a
  /// number for a temporary identifier, and the store's own key behind the scheme `x-swiftdata` for a model of a custom
  /// store. A temporary identifier has no store: `x-coredata:///<entity>/t<number>`. The text of a stored model's
  /// identifier stays the same across contexts and launches.
  public var description: String {
    let scheme = if case .custom = key { Self.customScheme } else { Self.rowScheme }
    let store = storeIdentifier.map { "//" + Self.escaped($0) } ?? (isTemporary ? "//" : "")
    return "\(scheme):\(store)/\(Self.escaped(entityName))/\(keyText)"
  }

  /// The URI schemes: the first for row ids and temporary numbers, the second for the keys of custom stores, which may
  /// look like these.
  static let rowScheme = "x-coredata"
  static let customScheme = "x-swiftdata"

  /// The key, with a letter in front if it is a number.
  var keyText: String {
    switch key {
    case .row(let rowID): "p\(rowID)"
    case .temporary(let number): "t\(number)"
    case .custom(let key): key
    }
  }

  /// A part of the path without the characters that separate parts (RFC 3986, section 2.1).
  private static func escaped(_ part: String) -> String {
    guard part.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "%") }) else {
      return part
    }
    // By scalars: a combining mark behind a slash would form a different character with it.
    return part.unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "/": text += "%2F"
      case "%": text += "%25"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}

extension PersistentIdentifier.ID: CustomStringConvertible {
  /// The text of the identifier, see ``PersistentIdentifier/description``.
  public var description: String { identifier.description }
}
