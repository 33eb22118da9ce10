import SwiftSyntax

/// The member of the snapshot for a persisted property.
struct SnapshotMember {
  /// The way in which the value is read from a row.
  enum Reading {
    case skipped, reference, opaque, value
  }

  let property: PersistedProperty
  let reading: Reading

  init(_ property: PersistedProperty) {
    self.property = property
    let isIgnored = property.declaration.attributes.contains(named: "SnapshotIgnored")
    if isIgnored || !property.canBeInSnapshot {
      reading = .skipped
    } else if property.relationship != nil,
      property.binding.storageType?.isKnownValue != true
    {
      reading = property.binding.storageType?.isCollection ?? true ? .skipped : .reference
    } else {
      reading = property.rowMethodSuffix == "Opaque" ? .opaque : .value
    }
  }

  var isSkipped: Bool { reading == .skipped }
  var name: String { property.identifier }

  /// The type in the model, as an expression that selects overloads; nil when only the initial value has it.
  private var typeText: String? { property.binding.storageTypeText }

  /// The name of the enumeration that determines the member's type; nil for a type that is certain from its spelling.
  private var inferredName: String? {
    knownType == nil ? "_\(property.name)".quotedIdentifier : nil
  }

  private var knownType: String? {
    if reading == .reference { return "SwiftData.PersistentIdentifier?" }
    guard let type = property.binding.storageType, type.isSurelyAttribute else { return nil }
    return type.trimmedDescription
  }

  var type: String { knownType ?? "\(inferredName ?? name).Value" }

  /// The type to read from a row: the model's. An initial value's type is an attribute's, which the snapshot has too.
  private var typeExpression: String {
    guard let typeText else { return "\(type).self" }
    return typeText.isPlainTypeName ? "\(typeText).self" : "(\(typeText)).self"
  }

  /// The declaration of the member, and of the enumeration that determines its type.
  func declaration(_ level: AccessLevel) -> [String] {
    // A private member could not be reached from the model, which is outside the structure.
    let own = min(level, max(.fileprivate, AccessLevel(property.declaration.modifiers)))
    let access = own == .fileprivate ? "fileprivate " : own.prefixOfWitness
    guard let inferredName else { return ["\(access)var \(name): \(type)"] }
    let question =
      typeText == nil
      ? "ofValue: \(property.initialValue?.trimmedDescription ?? "()")" : "of: \(typeExpression)"
    return [
      """
      \(access)enum \(inferredName): SwiftDataExtras._SnapshotMember {
        \(access)static let type = SwiftDataExtras._snapshotType(\(question))
      }
      """,
      "\(access)var \(name): \(type)",
    ]
  }

  /// The statement that reads the property from a row.
  var readingStatement: String {
    switch reading {
    case .skipped: "try row.skip()"
    case .reference: "\(name) = try row.reference()"
    case .opaque: "\(name) = try row.opaque(of: \(typeExpression))"
    case .value: "\(name) = try row.value(of: \(typeExpression))"
    }
  }

  /// The statement that sets the value in a model; nil for a value that a new model may lack.
  func application(to model: String) -> String? {
    let place = "\\\(model).\(name), of: self"
    if !isSkipped { return "try values.set(\(place), to: snapshot.\(name))" }
    return property.initialValue.map { "values.start(\(place), with: \($0.trimmedDescription))" }
  }

  /// The parameter of the memberwise initialiser.
  var parameter: String {
    let isOptional = reading == .reference || property.binding.isOptional
    return "\(name): \(type)\(isOptional ? " = nil" : "")"
  }
}

extension PersistedProperty {
  /// Whether the property has a stored form that is also `Codable`.
  fileprivate var canBeInSnapshot: Bool {
    rowMethodSuffix != "Ephemeral" && rowMethodSuffix != "Transformed"
  }
}

extension String {
  /// Whether `.self` may follow without parentheses.
  fileprivate var isPlainTypeName: Bool {
    allSatisfy { $0.isLetter || $0.isNumber || "_.?<>[]:, ".contains($0) }
  }
}

extension TypeSyntax {
  /// Whether the type's name shows that it can't be a model: standard types, and collections and optionals of them.
  fileprivate var isSurelyAttribute: Bool {
    if let optional = self.as(OptionalTypeSyntax.self) {
      return optional.wrappedType.isSurelyAttribute
    }
    if let array = self.as(ArrayTypeSyntax.self) { return array.element.isSurelyAttribute }
    if let dictionary = self.as(DictionaryTypeSyntax.self) {
      return dictionary.key.isSurelyAttribute && dictionary.value.isSurelyAttribute
    }
    guard let name = self.as(IdentifierTypeSyntax.self), name.genericArgumentClause == nil else {
      return false
    }
    return Self.standardNames.contains(name.name.text)
  }

  private static let standardNames: Set<String> = [
    "Bool", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
    "Double", "Float", "String", "Date", "Data", "UUID", "URL", "Decimal",
  ]
}
