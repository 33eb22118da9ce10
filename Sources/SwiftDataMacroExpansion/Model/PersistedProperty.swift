import SwiftSyntax

/// One stored variable of a model that has a column (or a relationship) in the store.
struct PersistedProperty {
  /// The position among the persisted properties of the class, from 0, which is also the position
  /// in the row codec.
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

  /// The name of the member that stores the value.
  var storageName: String { "_\(name)".quotedIdentifier }
  var attribute: AttributeSyntax? { declaration.attributes.joined(named: "Attribute") }
  var relationship: AttributeSyntax? { declaration.attributes.joined(named: "Relationship") }
  var isTransformable: Bool {
    attribute?.optionNames.contains("transformable") ?? false
  }
  /// The suffix of the methods of `_RowWriter` and `_RowReader` that move the value.
  var rowMethodSuffix: String {
    let options = attribute?.optionNames ?? []
    if options.contains("ephemeral") { return "Ephemeral" }
    if options.contains("transformable") { return "Transformed" }
    return options.contains("codable") ? "Opaque" : ""
  }
  var hasObservers: Bool { binding.accessorBlock != nil }
  /// The initial value, with the surrounding whitespace; nil when there is none, and for a written
  /// `nil`. With a partial annotation it is the value of that type: `([1] as Set)`.
  var initialValue: ExprSyntax? {
    guard let value = binding.initializer?.value, !value.is(NilLiteralExprSyntax.self)
    else { return nil }
    guard let type = binding.partialType else { return value }
    let coerced = AsExprSyntax(
      expression: value.trimmed,
      asKeyword: .keyword(.as, leadingTrivia: .space, trailingTrivia: .space), type: type)
    return ExprSyntax(TupleExprSyntax(elements: [LabeledExprSyntax(expression: coerced)]))
  }
  /// Whether an initialiser may leave the property unset.
  var startsWithValue: Bool {
    binding.initializer != nil || (binding.isOptional && !declaration.isConstant)
  }

  var isDeprecated: Bool {
    declaration.attributes.contains {
      $0.as(AttributeSyntax.self).map { $0.baseName == "available" && $0.mentionsDeprecation }
        ?? false
    }
  }

  /// The text of the property's key path from `type`.
  func keyPath(of type: String) -> String { "\\\(type).\(identifier)" }

  /// The declaration of the member that stores the value; nil when its type can't be determined.
  var storage: String? {
    if let type = binding.storageTypeText {
      return "private var \(storageName): SwiftData._Stored<\(type)>"
    }
    // The autoclosure only provides its type: the value comes through the init accessor.
    return initialValue.map {
      "private var \(storageName) = SwiftData._Stored.unset(of: \($0.trimmedDescription))"
    }
  }

  /// The declared initial value for `Schema.PropertyMetadata`, coerced to the declared type, so
  /// that a shorthand like `.a` finds its enumeration and `1` becomes a number of the property's
  /// type.
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
      // `inverse: nil` rules out an inverse; without the argument the inverse is inferred.
      return relationship.rulesOutInverse ? "\(declared)._oneWay()" : declared
    }
    if let attribute {
      let declared = "SwiftData.Schema.Attribute(\(attribute.argumentText))"
      // An option under another name may be one that the row's code has to know.
      return attribute.namesKnownOptions
        ? declared : "\(declared)._stored(by: \"\(rowMethodSuffix)\")"
    }
    return "nil"
  }
}

extension AttributeSyntax {
  fileprivate var mentionsDeprecation: Bool {
    tokens(viewMode: .sourceAccurate).contains { $0.text == "deprecated" }
  }

  /// Whether all options are those of `Schema.Attribute.Option`, under their own names.
  fileprivate var namesKnownOptions: Bool {
    labeledArguments.allSatisfy { argument in
      argument.label != nil
        || argument.expression.memberName.flatMap(AttributeOptionName.init) != nil
    }
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

/// The names of the options of `Schema.Attribute`.
private enum AttributeOptionName: String {
  case unique, externalStorage, allowsCloudEncryption, preserveValueOnDeletion, ephemeral, spotlight
  case codable, transformable
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
