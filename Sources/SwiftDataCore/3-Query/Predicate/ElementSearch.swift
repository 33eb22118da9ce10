/// The search of a sequence for a value, for types that are known only at run time.
package protocol ElementSearching {
  static var sequence: any Any.Type { get }
  static var element: any Any.Type { get }
  /// Whether the sequence contains the value; nil when one of them is of another type.
  static func contains(_ value: Any, in sequence: Any) -> Bool?
}

/// The search of a sequence of one type.
enum ElementSearch<Elements: Sequence>: ElementSearching where Elements.Element: Equatable {
  static var sequence: any Any.Type { Elements.self }
  static var element: any Any.Type { Elements.Element.self }

  static func contains(_ value: Any, in sequence: Any) -> Bool? {
    guard let sequence = sequence as? Elements, let value = value as? Elements.Element else {
      return nil
    }
    return sequence.contains(value)
  }
}
