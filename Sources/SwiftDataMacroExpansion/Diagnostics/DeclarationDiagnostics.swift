import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Diagnostics about the place where a macro is written.
extension Diagnostic {
  /// The diagnostic for `@Model` on a declaration that can't be a model.
  static func modelNeedsClass(
    _ declaration: some DeclGroupSyntax, attribute: AttributeSyntax
  ) -> Diagnostic {
    var fixIts: [FixIt] = []
    if let structure = declaration.as(StructDeclSyntax.self) {
      let keyword = structure.structKeyword
      fixIts.append(
        .replace(
          keyword, with: keyword.with(\.tokenKind, .keyword(.class)),
          "replace 'struct' with 'class'", for: .modelNeedsClass))
    }
    return Diagnostic(
      .modelNeedsClass, at: attribute,
      "@Model can only be applied to a class: a model has an identity that its context tracks",
      fixIts: fixIts)
  }

  /// The diagnostic for `@ModelActor` on a declaration other than an actor.
  static func modelActorNeedsActor(
    _ declaration: some DeclGroupSyntax, attribute: AttributeSyntax
  ) -> Diagnostic {
    var fixIts: [FixIt] = []
    if let written = declaration.as(ClassDeclSyntax.self) {
      let keyword = written.classKeyword
      fixIts.append(
        .replace(
          keyword, with: keyword.with(\.tokenKind, .keyword(.actor)),
          "replace 'class' with 'actor'", for: .modelActorNeedsActor))
    }
    return Diagnostic(
      .modelActorNeedsActor, at: attribute, "@ModelActor can only be applied to an actor",
      fixIts: fixIts)
  }

  /// The diagnostic for `@Snapshotable` on a declaration that isn't a model.
  static func snapshotNeedsModel(
    _ declaration: some DeclGroupSyntax, attribute: AttributeSyntax
  ) -> Diagnostic {
    var fixIts: [FixIt] = []
    if declaration.is(ClassDeclSyntax.self) {
      let both: AttributeListSyntax = "@Model @Snapshotable"
      fixIts.append(
        .replace(
          attribute, with: both.with(\.trailingTrivia, attribute.trailingTrivia), "add '@Model'",
          for: .snapshotNeedsModel))
    }
    return Diagnostic(
      .snapshotNeedsModel, at: attribute,
      "@Snapshotable needs @Model beside it: a snapshot has the stored properties of a model",
      fixIts: fixIts)
  }

  /// The diagnostic for `@Snapshotable` on a subclass of a class that has it.
  static func snapshotOfSubclass(_ attribute: AttributeSyntax) -> Diagnostic {
    Diagnostic(
      .snapshotOfSubclass, at: attribute,
      "@Snapshotable belongs to the topmost model class: a subclass has the Snapshot of its "
        + "superclass",
      fixIts: [attribute.removal(for: .snapshotOfSubclass)])
  }

  /// The diagnostic for `@Snapshotable` on a class with generic parameters.
  static func snapshotOfGenericClass(_ parameters: GenericParameterClauseSyntax) -> Diagnostic {
    Diagnostic(
      .snapshotOfGenericClass, at: parameters,
      "@Snapshotable can't be applied to a generic class: it writes down the properties once for a type"
    )
  }

  /// The diagnostic for `@Attribute`, `@Relationship` or `@Transient` on a function, a type or a
  /// case.
  static func annotationNeedsProperty(_ attribute: AttributeSyntax) -> Diagnostic {
    Diagnostic(
      .annotationNeedsProperty, at: attribute,
      "@\(attribute.baseName) can only be applied to a property")
  }

  /// The warning for `@Attribute` or `@Relationship` on a property without storage of its own.
  static func annotationNeedsStoredProperty(
    _ attribute: AttributeSyntax, kind: String
  ) -> Diagnostic {
    Diagnostic(
      .annotationNeedsStoredProperty, at: attribute,
      "@\(attribute.baseName) has no effect on a \(kind) property: "
        + "only stored properties of an instance are persisted",
      severity: .warning)
  }
}

extension MacroExpansionContext {
  /// Reports a `#Unique` or `#Index` outside a class with `@Model`, which would read it.
  func checkConstraint(_ node: some FreestandingMacroExpansionSyntax) {
    let owner = lexicalContext.first?.as(ClassDeclSyntax.self)
    guard owner?.attributes.mayContain(named: "Model") != true else { return }
    diagnose(
      Diagnostic(
        .constraintOutsideModel, at: node,
        "#\(node.macroName.text) must stand directly inside a class with @Model"))
  }
}
