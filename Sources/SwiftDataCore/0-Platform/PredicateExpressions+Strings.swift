import Foundation

/// The operation of a predicate's node on two strings.
public protocol _StringPredicateOperation: Sendable {
  associatedtype Output
  /// The method's name in Swift.
  static var name: String { get }
  static func evaluate(_ text: String, _ other: String) -> Output
}

extension PredicateExpressions {
  /// An operation on two strings for which Foundation has a node on Apple's systems only.
  public struct _StringOperation<
    Root: PredicateExpression, Other: PredicateExpression, Operation: _StringPredicateOperation
  >: PredicateExpression where Root.Output: StringProtocol, Other.Output: StringProtocol {
    public typealias Output = Operation.Output

    public let root: Root
    public let other: Other

    public init(root: Root, other: Other) {
      self.root = root
      self.other = other
    }

    public func evaluate(_ bindings: PredicateBindings) throws -> Operation.Output {
      Operation.evaluate(
        String(try root.evaluate(bindings)), String(try other.evaluate(bindings)))
    }
  }

  /// ``StringLocalizedStandardContains``'s operation.
  public enum _LocalizedStandardContains: _StringPredicateOperation {
    public static var name: String { "localizedStandardContains" }
    public static func evaluate(_ text: String, _ other: String) -> Bool {
      PortableString.localizedStandardContains(text, other)
    }
  }

  /// ``StringLocalizedCompare``'s operation.
  public enum _LocalizedCompare: _StringPredicateOperation {
    public static var name: String { "localizedCompare" }
    public static func evaluate(_ text: String, _ other: String) -> ComparisonResult {
      PortableString.localizedCompare(text, other)
    }
  }

  /// ``StringCaseInsensitiveCompare``'s operation.
  public enum _CaseInsensitiveCompare: _StringPredicateOperation {
    public static var name: String { "caseInsensitiveCompare" }
    public static func evaluate(_ text: String, _ other: String) -> ComparisonResult {
      PortableString.caseInsensitiveCompare(text, other)
    }
  }

  /// Whether a string occurs in another when case and diacritics are ignored, as in a search field.
  public typealias StringLocalizedStandardContains<
    Root: PredicateExpression, Other: PredicateExpression
  > = _StringOperation<Root, Other, _LocalizedStandardContains>
  where Root.Output: StringProtocol, Other.Output: StringProtocol

  /// The comparison of two strings in lists for display, treating digits as characters.
  public typealias StringLocalizedCompare<Root: PredicateExpression, Other: PredicateExpression> =
    _StringOperation<Root, Other, _LocalizedCompare>
  where Root.Output: StringProtocol, Other.Output: StringProtocol

  /// The comparison of two strings without regard to case.
  public typealias StringCaseInsensitiveCompare<
    Root: PredicateExpression, Other: PredicateExpression
  > = _StringOperation<Root, Other, _CaseInsensitiveCompare>
  where Root.Output: StringProtocol, Other.Output: StringProtocol

  /// Creates the node; `#Predicate` calls it for `localizedStandardContains(_:)`.
  public static func build_localizedStandardContains<Root, Other>(
    _ root: Root, _ other: Other
  ) -> StringLocalizedStandardContains<Root, Other> {
    StringLocalizedStandardContains(root: root, other: other)
  }

  /// Creates the node; `#Predicate` calls it for `localizedCompare(_:)`.
  public static func build_localizedCompare<Root, Other>(
    _ root: Root, _ other: Other
  ) -> StringLocalizedCompare<Root, Other> {
    StringLocalizedCompare(root: root, other: other)
  }

  /// Creates the node; `#Predicate` calls it for `caseInsensitiveCompare(_:)`.
  public static func build_caseInsensitiveCompare<Root, Other>(
    _ root: Root, _ other: Other
  ) -> StringCaseInsensitiveCompare<Root, Other> {
    StringCaseInsensitiveCompare(root: root, other: other)
  }
}

extension PredicateExpressions._StringOperation: Sendable where Root: Sendable, Other: Sendable {}

extension PredicateExpressions._StringOperation: Codable where Root: Codable, Other: Codable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(root)
    try container.encode(other)
  }

  public init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    root = try container.decode(Root.self)
    other = try container.decode(Other.self)
  }
}

extension PredicateExpressions._StringOperation: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

extension PredicateExpressions._StringOperation: CustomStringConvertible {
  public var description: String { "\(root).\(Operation.name)(\(other))" }
}
