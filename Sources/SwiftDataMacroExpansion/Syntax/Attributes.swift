import SwiftSyntax

extension AttributeListSyntax {
  /// The first attribute called `name`, written bare or with a module (`SwiftData.Attribute`).
  func first(named name: String) -> AttributeSyntax? {
    lazy.compactMap { $0.as(AttributeSyntax.self) }.first { $0.baseName == name }
  }

  /// The attribute called `name`; of several, one with the arguments of all. Of two arguments with the same label the
  /// first counts.
  func joined(named name: String) -> AttributeSyntax? {
    let all = compactMap { $0.as(AttributeSyntax.self) }.filter { $0.baseName == name }
    guard let first = all.first, all.count > 1 else { return all.first }
    var labels: Set<String> = []
    let arguments = all.flatMap(\.labeledArguments).filter { argument in
      argument.label.map { labels.insert($0.text).inserted } ?? true
    }.sorted { AttributeSyntax.rank($0) < AttributeSyntax.rank($1) }
    guard !arguments.isEmpty else { return first }
    let separated = arguments.enumerated().map { index, argument in
      argument.trimmed.with(
        \.trailingComma,
        index == arguments.count - 1 ? nil : .commaToken(trailingTrivia: .space))
    }
    return first.with(\.arguments, .argumentList(LabeledExprListSyntax(separated)))
  }

  /// Whether there is an attribute called `name`.
  func contains(named name: String) -> Bool {
    first(named: name) != nil
  }
}

extension AttributeSyntax {
  /// The attribute's name without the module.
  var baseName: String {
    if let member = attributeName.as(MemberTypeSyntax.self) {
      return member.name.text
    }
    let plain = attributeName.as(IdentifierTypeSyntax.self)
    return plain?.name.text ?? attributeName.trimmedDescription
  }

  /// The arguments in parentheses; empty when there are none.
  var labeledArguments: [LabeledExprSyntax] {
    guard case .argumentList(let list) = arguments else { return [] }
    return Array(list)
  }

  /// The place of an argument among those of `@Attribute` and `@Relationship`.
  fileprivate static func rank(_ argument: LabeledExprSyntax) -> Int {
    argument.label.flatMap { argumentOrder.firstIndex(of: $0.text) } ?? -1
  }

  private static let argumentOrder = [
    "deleteRule", "minimumModelCount", "maximumModelCount", "originalName", "inverse",
    "hashModifier",
  ]

  /// The arguments as they are written, without the outer whitespace.
  var argumentText: String {
    guard case .argumentList(let list) = arguments else { return "" }
    return list.trimmedDescription
  }

  /// The names of the options without a label: `unique` of `.unique` and `Option.unique`,
  /// `transformable` of `.transformable(by: …)`. Expressions of other forms are ignored.
  var optionNames: [String] {
    labeledArguments.filter { $0.label == nil }.compactMap(\.expression.memberName)
  }
}

extension ExprSyntax {
  /// The last name of a member expression or of the call of one.
  var memberName: String? {
    if let call = self.as(FunctionCallExprSyntax.self) {
      return call.calledExpression.memberName
    }
    return self.as(MemberAccessExprSyntax.self)?.declName.baseName.text
  }
}
