import SwiftDiagnostics
import SwiftSyntax

/// The problems of the class and its properties.
extension ModelClass {
  var diagnostics: [Diagnostic] { foundProblems.map(anchored) }

  /// The diagnostic at a place of the source: a declaration whose attributes have `#if` was examined as a copy, whose
  /// nodes have none, and no fix-its.
  private func anchored(_ diagnostic: Diagnostic) -> Diagnostic {
    guard let written = conditionallyAnnotated[diagnostic.node.root.id] else { return diagnostic }
    return Diagnostic(node: written.bindings, message: diagnostic.diagMessage)
  }

  private var foundProblems: [Diagnostic] {
    [globalActor, observable].compactMap { $0 } + takenStorageNames
      + variables.compactMap(\.lazyWithoutNote)
      + variables.flatMap(\.repeatedAnnotations)
      + variables.filter(\.isStoredInInstance).flatMap {
        $0.modelDiagnostics(persistsConstants: persistsConstants)
      }
      + variables.flatMap(\.shadowedMembers) + constraintDiagnostics
  }

  /// Warns of a global actor: a context provides models on whatever actor it runs, so one actor can't own them. In
  /// Swift 6 mode the compiler rejects the generated conformance; this diagnostic gives the reason.
  private var globalActor: Diagnostic? {
    guard let actor = declaration.attributes.globalActor else { return nil }
    return Diagnostic(
      .globalActor, at: actor,
      "'@\(actor.baseName)' can't isolate a model: a model belongs to the context it is in",
      severity: .warning, fixIts: [actor.removal(for: .globalActor)])
  }

  /// Reports `@Observable`, whose accessors would be second ones of the same properties.
  private var observable: Diagnostic? {
    guard let observable = declaration.attributes.first(named: "Observable") else { return nil }
    return Diagnostic(
      .observableModel, at: observable,
      "'@Observable' can't be applied to a model: @Model makes it observable",
      fixIts: [observable.removal(for: .observableModel)])
  }

  /// Reports properties that have the name of the storage of another one.
  private var takenStorageNames: [Diagnostic] {
    let persisted = Dictionary(
      properties.map { ("_\($0.name)", $0.name) }, uniquingKeysWith: { first, _ in first })
    return variables.filter { !$0.modifiers.contains(.static) && !$0.modifiers.contains(.class) }
      .flatMap(\.bindings).compactMap { binding in
        guard let name = binding.identifier?.plainName, let owner = persisted[name] else {
          return nil
        }
        return Diagnostic(
          .storageNameTaken, at: binding.pattern,
          "'\(name)' is the name of the storage that @Model makes for '\(owner)': rename one of them; "
            + "@Attribute(originalName:) keeps its column")
      }
  }
}

extension AttributeListSyntax {
  /// The attribute that is a global actor by its name.
  fileprivate var globalActor: AttributeSyntax? {
    lazy.compactMap { $0.as(AttributeSyntax.self) }
      .first { $0.baseName.hasSuffix("Actor") && $0.arguments == nil }
  }
}

extension VariableDeclSyntax {
  /// Warns of a lazy property without `@Transient`: its value isn't stored, although it looks as if it were.
  fileprivate var lazyWithoutNote: Diagnostic? {
    guard modifiers.contains(.lazy), !isTransient, let binding = bindings.first else { return nil }
    return Diagnostic(
      .lazyIsNotPersisted, at: binding.pattern,
      "lazy property '\(binding.pattern.trimmed)' isn't persisted: "
        + "every fetched instance makes its value anew",
      severity: .warning, fixIts: [addingTransient(for: .lazyIsNotPersisted)])
  }

  /// Warns of a property with the name of one of `PersistentModel`'s members: it hides that member, so callers get the
  /// property.
  fileprivate var shadowedMembers: [Diagnostic] {
    guard !modifiers.contains(.static), !modifiers.contains(.class) else { return [] }
    return bindings.compactMap { binding in
      guard let name = binding.identifier, Self.modelMembers.contains(name.plainName) else {
        return nil
      }
      return Diagnostic(
        .shadowsModelMember, at: binding.pattern,
        "property '\(name.plainName)' hides the member of that name that every model has: rename it and "
          + "keep the column by @Attribute(originalName:)",
        severity: .warning)
    }
  }

  /// The members of `PersistentModel` that callers use.
  private static let modelMembers: Set<String> = [
    "hasChanges", "isDeleted", "modelContext", "persistentModelID",
  ]

  /// Warns of repeated annotations. Several `@Attribute` or `@Relationship` count as one with the arguments of all.
  fileprivate var repeatedAnnotations: [Diagnostic] {
    ["Attribute", "Relationship", "Transient"].flatMap { name in
      attributes.compactMap { $0.as(AttributeSyntax.self) }.filter { $0.baseName == name }
        .dropFirst().map(Diagnostic.repeatedAnnotation)
    }
  }

  /// The problems that keep a stored variable of a model from working, the most basic one first.
  fileprivate func modelDiagnostics(persistsConstants: Bool) -> [Diagnostic] {
    if isTransient { return bindings.compactMap(transientWithoutDefault) }
    if isConstant, !persistsConstants { return bindings.compactMap(constant) }
    if let split = severalBindings { return [split] }
    return [tuplePattern, reference, propertyWrapper, globalActor].compactMap { $0 }
  }

  /// Warns of a global actor: the context reads and writes the property on whatever actor it runs.
  private var globalActor: Diagnostic? {
    guard let actor = attributes.globalActor else { return nil }
    return Diagnostic(
      .globalActor, at: actor,
      "'@\(actor.baseName)' can't isolate a persisted property: a model belongs to the context it is in",
      severity: .warning, fixIts: [actor.removal(for: .globalActor)])
  }

  /// Reports a transient property without a value: a fetched model has none for it, so the property must provide its
  /// own.
  private func transientWithoutDefault(_ binding: PatternBindingSyntax) -> Diagnostic? {
    if binding.initializer != nil || (!isConstant && binding.isOptional) { return nil }
    let name = binding.pattern.trimmedDescription
    var fixIts: [FixIt] = []
    if !isConstant, let type = binding.typeAnnotation?.type {
      let optional = type.trimmed.asOptional.with(\.trailingTrivia, type.trailingTrivia)
      fixIts.append(
        .replace(type, with: optional, "make '\(name)' optional", for: .transientNeedsDefault))
    }
    return Diagnostic(
      .transientNeedsDefault, at: binding.pattern,
      "@Transient property '\(name)' must have a default value or be optional: "
        + "a fetched model has no stored value for it",
      fixIts: fixIts)
  }

  /// Reports a constant that can't be persisted: it has no place in a row, because a fetch could not set it. A literal
  /// is the same in every instance and may stay.
  private func constant(_ binding: PatternBindingSyntax) -> Diagnostic? {
    let name = binding.pattern.trimmedDescription
    guard let value = binding.initializer?.value else {
      return Diagnostic(
        .constantIsNotPersisted, at: bindingSpecifier,
        "constant '\(name)' can't be persisted: a fetch sets the property after initialization",
        fixIts: [replacingLet(for: .constantIsNotPersisted)])
    }
    if value.isLiteral { return nil }
    return Diagnostic(
      .constantIsNotRestored, at: bindingSpecifier,
      "constant '\(name)' isn't persisted: every fetched instance gets its initial value anew",
      severity: .warning,
      fixIts: [
        replacingLet(for: .constantIsNotRestored), addingTransient(for: .constantIsNotRestored),
      ])
  }

  /// Reports several variables in one declaration: an accessor macro can be attached to one variable only.
  private var severalBindings: Diagnostic? {
    guard bindings.count > 1 else { return nil }
    return Diagnostic(
      .severalBindings, at: bindings,
      "@Model needs a declaration of its own for each persisted property",
      fixIts: [splittingBindings].compactMap { $0 })
  }

  private var tuplePattern: Diagnostic? {
    guard let binding = bindings.first, binding.identifier == nil else { return nil }
    return Diagnostic(
      .tuplePattern, at: binding.pattern,
      "@Model can't persist variables of a tuple pattern: declare each one by itself")
  }

  /// Warns of a weak or unowned property: the context keeps models alive, so a reference between models is never weak.
  private var reference: Diagnostic? {
    let keywords: [Keyword] = [.weak, .unowned]
    let modifier = modifiers.first { modifier in
      keywords.contains { modifier.name.tokenKind == .keyword($0) }
    }
    guard let modifier else { return nil }
    let start = leadingTrivia
    var changed = with(\.modifiers, modifiers.filter { $0.id != modifier.id })
    changed.leadingTrivia = start
    return Diagnostic(
      .unownedProperty, at: modifier,
      "'\(modifier.name.text)' has no effect on a persisted property: the store holds the reference",
      severity: .warning,
      fixIts: [
        .replace(
          self, with: changed, "remove '\(modifier.name.text)'", for: .unownedProperty)
      ])
  }

  /// Reports a property wrapper: its accessors and those of `@Model` both need the name `_name`.
  private var propertyWrapper: Diagnostic? {
    let wrapper = attributes.lazy.compactMap { $0.as(AttributeSyntax.self) }
      .first { Self.knownWrappers.contains($0.baseName) }
    guard let wrapper else { return nil }
    return Diagnostic(
      .propertyWrapper, at: wrapper,
      "property wrapper '@\(wrapper.baseName)' can't be applied to a persisted property: "
        + "@Model stores the value itself",
      fixIts: [addingTransient(for: .propertyWrapper)])
  }

  /// The wrappers that are used most often. For others the compiler reports that a wrapper can't be applied to a
  /// computed property.
  private static let knownWrappers: Set<String> = [
    "AppStorage", "Bindable", "Binding", "Environment", "EnvironmentObject", "FocusState",
    "GestureState", "ObservedObject", "Published", "Query", "SceneStorage", "State",
    "StateObject", "TaskLocal",
  ]
}

extension ExprSyntax {
  /// Whether the form of the expression alone shows that it has the same value wherever it is evaluated.
  fileprivate var isLiteral: Bool {
    switch kind {
    case .integerLiteralExpr, .floatLiteralExpr, .booleanLiteralExpr, .nilLiteralExpr: true
    case .stringLiteralExpr:
      self.as(StringLiteralExprSyntax.self)?.segments.allSatisfy { $0.is(StringSegmentSyntax.self) }
        ?? false
    case .prefixOperatorExpr:
      self.as(PrefixOperatorExprSyntax.self)?.expression.isLiteral ?? false
    default: false
    }
  }
}

extension TypeSyntax {
  /// The optional of the type; a type to which a question mark would not bind is put in parentheses.
  fileprivate var asOptional: TypeSyntax {
    switch kind {
    case .identifierType, .memberType, .arrayType, .dictionaryType, .tupleType:
      TypeSyntax(OptionalTypeSyntax(wrappedType: self))
    default: "(\(self))?"
    }
  }
}
