import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Diagnostics about single properties of a model.
extension Diagnostic {
  /// A note on how to store what isn't stored.
  static func annotationOnTransient(_ attribute: AttributeSyntax) -> Diagnostic {
    Diagnostic(
      .annotationOnTransient, at: attribute,
      "@\(attribute.baseName) has no effect on a property that @Transient keeps out of the store",
      fixIts: [attribute.removal(for: .annotationOnTransient)])
  }

  /// Two notes that contradict each other.
  static func attributeAndRelationship(_ attribute: AttributeSyntax) -> Diagnostic {
    Diagnostic(
      .attributeAndRelationship, at: attribute,
      "a property is an attribute or a relationship: "
        + "@Attribute and @Relationship can't be applied together",
      fixIts: [attribute.removal(for: .attributeAndRelationship)])
  }

  /// A unique key that is a collection of models.
  static func uniqueToMany(_ attribute: AttributeSyntax, _ type: TypeSyntax) -> Diagnostic {
    Diagnostic(
      .uniqueToMany, at: attribute,
      "@Relationship(.unique) can't be applied to '\(type)': "
        + "a to-many relationship has no single value to compare")
  }
}
