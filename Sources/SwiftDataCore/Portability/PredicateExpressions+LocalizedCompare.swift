import Foundation

extension PredicateExpressions {
  /// How two strings compare in lists that people read, digits as characters.
  ///
  /// Foundation has this node on Apple's systems only.
  public struct StringLocalizedCompare<Root: PredicateExpression, Other: PredicateExpression>:
    PredicateExpression
  where Root.Output: StringProtocol, Other.Output: StringProtocol {
    public typealias Output = ComparisonResult

    public let root: Root
    public let other: Other

    public init(root: Root, other: Other) {
      self.root = root
      self.other = other
    }

    public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
      PortableString.localizedCompare(
        String(try root.evaluate(bindings)), String(try other.evaluate(bindings)))
    }
  }

  /// Makes the node; `#Predicate` calls it for `localizedCompare(_:)`.
  public static func build_localizedCompare<Root, Other>(
    _ root: Root, _ other: Other
  ) -> StringLocalizedCompare<Root, Other> {
    StringLocalizedCompare(root: root, other: other)
  }
}

extension PredicateExpressions.StringLocalizedCompare: Sendable
where Root: Sendable, Other: Sendable {}

extension PredicateExpressions.StringLocalizedCompare: Codable where Root: Codable, Other: Codable {
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

extension PredicateExpressions.StringLocalizedCompare: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

extension PredicateExpressions.StringLocalizedCompare: CustomStringConvertible {
  public var description: String { "\(root).localizedCompare(\(other))" }
}
