import SwiftSyntax

/// One stored variable of a model that has a column (or a relationship) in the store.
struct PersistedProperty {
  /// Position among the persisted properties of the class, from 0: the place in the row codec.
  let index: Int
  let declaration: VariableDeclSyntax
  let binding: PatternBindingSyntax
  /// The name as it is written, with backticks when it has them.
  let identifier: String
  /// The name without backticks.
  let name: String

  init?(index: Int, declaration: VariableDeclSyntax, binding: PatternBindingSyntax) {
    guard let identifier = binding.identifier else { return nil }
    self.index = index
    self.declaration = declaration
    self.binding = binding
    self.identifier = identifier.text
    name = identifier.plainName
  }

  /// The member that holds the value: what the peer macro declares.
  var storageName: String { "_\(name)".quotedIdentifier }
  var attribute: AttributeSyntax? { declaration.attributes.first(named: "Attribute") }
  var relationship: AttributeSyntax? { declaration.attributes.first(named: "Relationship") }
  var isTransformable: Bool {
    attribute?.optionNames.contains("transformable") ?? false
  }
  /// What the methods of `_RowWriter` and `_RowReader` that move the value have behind their names.
  var rowMethodSuffix: String {
    let options = attribute?.optionNames ?? []
    if options.contains("ephemeral") { return "Ephemeral" }
    if options.contains("transformable") { return "Transformed" }
    return options.contains("codable") ? "Opaque" : ""
  }
  var hasObservers: Bool { binding.accessorBlock != nil }
  /// The initial value, with the blanks around it; nil for none and for a written `nil`.
  var initialValue: ExprSyntax? {
    guard let value = binding.initializer?.value, !value.is(NilLiteralExprSyntax.self)
    else { return nil }
    return value
  }
  /// Whether an initialiser may leave the property alone.
  var startsWithValue: Bool {
    binding.initializer != nil || (binding.isOptional && !declaration.isConstant)
  }

  var isDeprecated: Bool {
    declaration.attributes.contains {
      $0.as(AttributeSyntax.self).map { $0.baseName == "available" && $0.mentionsDeprecation }
        ?? false
    }
  }

  /// `name` behind a backslash and the type: the key path's text.
  func keyPath(of type: String) -> String { "\\\(type).\(identifier)" }

  /// The declaration of the member that holds the value; nil where nothing tells its type.
  var storage: String? {
    if let type = binding.storageTypeText {
      return "private var \(storageName): SwiftData._Stored<\(type)>"
    }
    // The autoclosure only lends its type: the value comes through the init accessor.
    return initialValue.map {
      "private var \(storageName) = SwiftData._Stored.unset(of: \($0.trimmedDescription))"
    }
  }

  /// The written initial value for `Schema.PropertyMetadata`, coerced to the written type: so that
  /// a shorthand like `.a` finds its enum and `1` becomes the property's own kind of number.
  var defaultValueText: String {
    guard let value = initialValue else { return "nil" }
    let text = value.trimmedDescription
    guard let type = binding.storageTypeText else { return text }
    return "\(value.isAtomic ? text : "(\(text))") as \(type)"
  }

  /// The schema entry that the annotations describe, or `nil`.
  var metadataText: String {
    if let relationship {
      let declared = "SwiftData.Schema.Relationship(\(relationship.relationshipArgumentText))"
      // A written `inverse: nil` is a wish, a missing one leaves the inverse to be found.
      return relationship.rulesOutInverse ? "\(declared)._oneWay()" : declared
    }
    if let attribute {
      return "SwiftData.Schema.Attribute(\(attribute.argumentText))"
    }
    return "nil"
  }
}

extension AttributeSyntax {
  fileprivate var mentionsDeprecation: Bool {
    tokens(viewMode: .sourceAccurate).contains { $0.text == "deprecated" }
  }

  fileprivate var rulesOutInverse: Bool {
    labeledArguments.contains {
      $0.label?.text == "inverse" && $0.expression.is(NilLiteralExprSyntax.self)
    }
  }

  /// The arguments of `@Relationship`; the first beta's unlabelled delete rule gets its label.
  fileprivate var relationshipArgumentText: String {
    guard let first = labeledArguments.first, first.label == nil,
      let rule = first.expression.memberName, DeleteRuleName(rawValue: rule) != nil
    else { return argumentText }
    return "deleteRule: \(argumentText)"
  }
}

/// The names of `Schema.Relationship.DeleteRule`.
private enum DeleteRuleName: String {
  case noAction, nullify, cascade, deny
}

extension ExprSyntax {
  /// Whether `as T` may follow without parentheses: literals, names, members, calls.
  fileprivate var isAtomic: Bool {
    switch kind {
    case .integerLiteralExpr, .floatLiteralExpr, .stringLiteralExpr, .booleanLiteralExpr,
      .arrayExpr, .dictionaryExpr, .declReferenceExpr, .memberAccessExpr, .functionCallExpr:
      true
    default: false
    }
  }
}
