import SwiftSyntax

/// The memberwise initialiser, like a structure's, of a class without a designated initialiser.
extension ModelClass {
  /// The initialiser; nil when the class declares a designated one. Parameters are in the order of
  /// declaration; initial values become default arguments. A property whose type can't be derived
  /// from its initial value keeps that value and has no parameter; the same holds for a private
  /// one.
  var memberwiseInitializer: String? {
    guard designatedInitializers.isEmpty else { return nil }
    let parameters = properties.compactMap(MemberwiseParameter.init)
    let level: AccessLevel = parameters.contains { $0.isPrivate } ? .fileprivate : .internal
    return """
      \(level == .fileprivate ? "fileprivate " : "")init(\
      \(parameters.map(\.text).joined(separator: ", "))) {
      \(parameters.map { "self.\($0.name) = \($0.name)" }.indentedLines)
      }
      """
  }
}

/// One parameter of the memberwise initialiser.
private struct MemberwiseParameter {
  let name: String
  let type: String
  let defaultValue: String?
  let isPrivate: Bool

  init?(_ property: PersistedProperty) {
    isPrivate = AccessLevel(property.declaration.modifiers) < .internal
    // A constant with a value keeps it, as in a structure.
    if property.declaration.isConstant && property.binding.initializer != nil { return nil }
    if isPrivate && property.startsWithValue { return nil }
    guard let type = property.binding.storageType ?? property.initialValue?.literalType else {
      return nil
    }
    name = property.identifier
    // The property stores a closure parameter, so the closure escapes.
    self.type = type.is(FunctionTypeSyntax.self) ? "@escaping \(type)" : type.description
    defaultValue =
      property.initialValue?.trimmedDescription ?? (property.startsWithValue ? "nil" : nil)
  }

  var text: String {
    "\(name): \(type)" + (defaultValue.map { " = \($0)" } ?? "")
  }
}

extension ExprSyntax {
  /// The type of a literal or of a plain call of a type's initialiser: `3`, `Date()`, `[UUID]()`, `Set<Int>()`.
  /// Arguments may make the value optional, as in `URL(string: "x")`, or determine those of a generic type, as in
  /// `Set([1])`.
  fileprivate var literalType: TypeSyntax? {
    switch kind {
    case .integerLiteralExpr: return "Swift.Int"
    case .floatLiteralExpr: return "Swift.Double"
    case .stringLiteralExpr: return "Swift.String"
    case .booleanLiteralExpr: return "Swift.Bool"
    default: break
    }
    guard let call = self.as(FunctionCallExprSyntax.self) else { return nil }
    let callee = call.calledExpression
    if callee.is(ArrayExprSyntax.self) || callee.is(DictionaryExprSyntax.self) {
      return "\(callee.trimmed)"
    }
    guard call.arguments.isEmpty, call.trailingClosure == nil else { return nil }
    if callee.is(GenericSpecializationExprSyntax.self) { return "\(callee.trimmed)" }
    let last = callee.as(DeclReferenceExprSyntax.self)?.baseName.text ?? callee.memberName
    // Types begin with a capital by convention; a lower-case callee is a function of unknown type.
    guard last?.first?.isUppercase == true else { return nil }
    return "\(callee.trimmed)"
  }
}
