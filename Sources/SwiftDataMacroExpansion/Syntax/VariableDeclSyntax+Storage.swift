import SwiftSyntax

extension DeclModifierListSyntax {
  /// Whether the modifier is written, with or without a detail in parentheses.
  func contains(_ keyword: Keyword) -> Bool {
    contains { $0.name.tokenKind == .keyword(keyword) }
  }
}

extension VariableDeclSyntax {
  /// Whether the variable is declared with `let`.
  var isConstant: Bool {
    bindingSpecifier.tokenKind == .keyword(.let)
  }

  /// Whether each instance has its own storage for the variable: not `static`, not `class`, not `lazy`, not a
  /// superclass's and not computed. Observers don't make a variable computed.
  var isStoredInInstance: Bool {
    !modifiers.contains(.static) && !modifiers.contains(.class) && !modifiers.contains(.lazy)
      && !modifiers.contains(.override) && bindings.allSatisfy(\.isStored)
  }

  /// Whether the declaration only adds observers to a property of the superclass, which has the storage.
  var isOverrideWithObservers: Bool {
    modifiers.contains(.override) && bindings.allSatisfy(\.isStored)
  }

  /// Whether `@Transient` keeps the variable out of the store.
  var isTransient: Bool {
    attributes.contains(named: "Transient")
  }
}

extension PatternBindingSyntax {
  /// Whether the binding has storage: no accessors, or observers only.
  var isStored: Bool {
    // Not by `switch`: the toolchain's swift-syntax (scripts/macros) may have further cases.
    guard let accessors = accessorBlock?.accessors else { return true }
    guard case .accessors(let list) = accessors else { return false }
    return list.allSatisfy(\.isObserver)
  }

  /// The observer of the given kind, `willSet` or `didSet`.
  func observer(_ kind: Keyword) -> AccessorDeclSyntax? {
    guard case .accessors(let accessors) = accessorBlock?.accessors else { return nil }
    return accessors.first { $0.accessorSpecifier.tokenKind == .keyword(kind) }
  }

  /// The one name that the binding declares, with the surrounding whitespace; nil for a tuple pattern.
  var identifier: TokenSyntax? {
    pattern.as(IdentifierPatternSyntax.self)?.identifier
  }

  /// The annotation when it is only a part of the type and the initial value gives the rest: `Set` in
  /// `var codes: Set = [1]`. Syntax shows that of the standard library's types only.
  var partialType: TypeSyntax? {
    guard initializer != nil, let name = typeAnnotation?.type.as(IdentifierTypeSyntax.self),
      name.genericArgumentClause == nil, Self.genericTypes.contains(name.name.text)
    else { return nil }
    return TypeSyntax(name.trimmed)
  }

  private static let genericTypes: Set<String> = ["Array", "Dictionary", "Optional", "Set"]

  /// The type annotation in a form that can be a generic argument: `Value!` becomes `Value?`. Nil for a partial one.
  var storageType: TypeSyntax? {
    guard partialType == nil, let type = typeAnnotation?.type else { return nil }
    if let implicit = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      return TypeSyntax(OptionalTypeSyntax(wrappedType: implicit.wrappedType.trimmed))
    }
    return type.trimmed
  }

  /// The text of ``storageType``, which takes less time to determine than the type.
  var storageTypeText: String? {
    guard partialType == nil, let type = typeAnnotation?.type else { return nil }
    if let implicit = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      return "\(implicit.wrappedType.trimmedDescription)?"
    }
    return type.trimmedDescription
  }

  /// Whether the variable starts with nil automatically: in Swift only `Value?` and `Value!` do, not `Optional<Value>`.
  var isOptional: Bool {
    guard let type = typeAnnotation?.type else { return false }
    return type.is(OptionalTypeSyntax.self) || type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
  }
}

extension AccessorDeclSyntax {
  /// Whether the accessor is `willSet` or `didSet`.
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
  /// The name as it has to be written in source: in backticks when it is a raw identifier (SE-0451).
  var quotedIdentifier: String {
    let isPlain = allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" }
    return isPlain ? self : "`\(self)`"
  }
}
