import Foundation

extension PredicateExpressions {
  /// Whether a string occurs in another when case and marks are ignored, as a search field has it.
  ///
  /// Foundation has this node on Apple's systems only.
  public struct StringLocalizedStandardContains<
    Root: PredicateExpression, Other: PredicateExpression
  >: PredicateExpression
  where Root.Output: StringProtocol, Other.Output: StringProtocol {
    public typealias Output = Bool

    public let root: Root
    public let other: Other

    public init(root: Root, other: Other) {
      self.root = root
      self.other = other
    }

    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      PortableString.localizedStandardContains(
        String(try root.evaluate(bindings)), String(try other.evaluate(bindings)))
    }
  }

  /// Makes the node; `#Predicate` calls it for `localizedStandardContains(_:)`.
  public static func build_localizedStandardContains<Root, Other>(
    _ root: Root, _ other: Other
  ) -> StringLocalizedStandardContains<Root, Other> {
    StringLocalizedStandardContains(root: root, other: other)
  }
}

extension PredicateExpressions.StringLocalizedStandardContains: Sendable
where Root: Sendable, Other: Sendable {}

extension PredicateExpressions.StringLocalizedStandardContains: Codable
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

extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

extension PredicateExpressions.StringLocalizedStandardContains: CustomStringConvertible {
  public var description: String { "\(root).localizedStandardContains(\(other))" }
}
