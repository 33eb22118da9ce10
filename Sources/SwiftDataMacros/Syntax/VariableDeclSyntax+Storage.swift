import SwiftSyntax

extension DeclModifierListSyntax {
  /// Whether the modifier is written, with or without a detail in parentheses.
  func contains(_ keyword: Keyword) -> Bool {
    contains { $0.name.tokenKind == .keyword(keyword) }
  }
}

extension VariableDeclSyntax {
  /// Whether it is declared by `let`.
  var isConstant: Bool {
    bindingSpecifier.tokenKind == .keyword(.let)
  }

  /// Whether each instance has storage of its own for it: not `static`, not `class`, not `lazy`
  /// and not computed. Observers don't make a variable computed.
  var isStoredInInstance: Bool {
    !modifiers.contains(.static) && !modifiers.contains(.class) && !modifiers.contains(.lazy)
      && bindings.allSatisfy(\.isStored)
  }

  /// Whether `@Transient` keeps it out of the store.
  var isTransient: Bool {
    attributes.contains(named: "Transient")
  }
}

extension PatternBindingSyntax {
  /// Whether the binding has storage: no accessors, or observers only.
  var isStored: Bool {
    switch accessorBlock?.accessors {
    case nil: true
    case .getter: false
    case .accessors(let accessors): accessors.allSatisfy(\.isObserver)
    }
  }

  /// The observer of the given kind, `willSet` or `didSet`.
  func observer(_ kind: Keyword) -> AccessorDeclSyntax? {
    guard case .accessors(let accessors) = accessorBlock?.accessors else { return nil }
    return accessors.first { $0.accessorSpecifier.tokenKind == .keyword(kind) }
  }

  /// The one name that the binding declares, with the blanks around it; nil for a tuple pattern.
  var identifier: TokenSyntax? {
    pattern.as(IdentifierPatternSyntax.self)?.identifier
  }

  /// The type annotation in a form that can stand as a generic argument: `Value!` becomes `Value?`.
  var storageType: TypeSyntax? {
    guard let type = typeAnnotation?.type else { return nil }
    if let implicit = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      return TypeSyntax(OptionalTypeSyntax(wrappedType: implicit.wrappedType.trimmed))
    }
    return type.trimmed
  }

  /// The text of ``storageType``, which takes less time to find than the type.
  var storageTypeText: String? {
    guard let type = typeAnnotation?.type else { return nil }
    if let implicit = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      return "\(implicit.wrappedType.trimmedDescription)?"
    }
    return type.trimmedDescription
  }

  /// Whether the variable starts with nil by itself: Swift grants that to `Value?` and `Value!`
  /// only, not to `Optional<Value>`.
  var isOptional: Bool {
    guard let type = typeAnnotation?.type else { return false }
    return type.is(OptionalTypeSyntax.self) || type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
  }
}

extension AccessorDeclSyntax {
  /// Whether it is `willSet` or `didSet`.
  var isObserver: Bool {
    accessorSpecifier.tokenKind == .keyword(.willSet)
      || accessorSpecifier.tokenKind == .keyword(.didSet)
  }
}

extension TokenSyntax {
  /// The name without backticks.
  var plainName: String {
    identifier?.name ?? text
  }
}

extension String {
  /// The name as it has to be written in source: between backticks when it is a raw identifier (SE-0451).
  var quotedIdentifier: String {
    let isPlain = allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" }
    return isPlain ? self : "`\(self)`"
  }
}
