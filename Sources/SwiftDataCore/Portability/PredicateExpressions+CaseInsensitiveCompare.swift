import Foundation

extension PredicateExpressions {
  /// How two strings compare without regard to case.
  ///
  /// Foundation has this node on Apple's systems only.
  public struct StringCaseInsensitiveCompare<Root: PredicateExpression, Other: PredicateExpression>:
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
      PortableString.caseInsensitiveCompare(
        String(try root.evaluate(bindings)), String(try other.evaluate(bindings)))
    }
  }

  /// Makes the node; `#Predicate` calls it for `caseInsensitiveCompare(_:)`.
  public static func build_caseInsensitiveCompare<Root, Other>(
    _ root: Root, _ other: Other
  ) -> StringCaseInsensitiveCompare<Root, Other> {
    StringCaseInsensitiveCompare(root: root, other: other)
  }
}

extension PredicateExpressions.StringCaseInsensitiveCompare: Sendable
where Root: Sendable, Other: Sendable {}

extension PredicateExpressions.StringCaseInsensitiveCompare: Codable
where Root: Codable, Other: Codable {
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

extension PredicateExpressions.StringCaseInsensitiveCompare: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

extension PredicateExpressions.StringCaseInsensitiveCompare: CustomStringConvertible {
  public var description: String { "\(root).caseInsensitiveCompare(\(other))" }
}
