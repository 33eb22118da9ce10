import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Diagnostics about single properties of a model.
extension Diagnostic {
  /// The diagnostic for an annotation of a property that isn't stored.
  static func annotationOnTransient(_ attribute: AttributeSyntax) -> Diagnostic {
    Diagnostic(
      .annotationOnTransient, at: attribute,
      "@\(attribute.baseName) has no effect on a property that @Transient keeps out of the store",
      fixIts: [attribute.removal(for: .annotationOnTransient)])
  }

  /// The diagnostic for two annotations that contradict each other.
  static func attributeAndRelationship(_ attribute: AttributeSyntax) -> Diagnostic {
    Diagnostic(
      .attributeAndRelationship, at: attribute,
      "a property is an attribute or a relationship: "
        + "@Attribute and @Relationship can't be applied together",
      fixIts: [attribute.removal(for: .attributeAndRelationship)])
  }

  /// The diagnostic for a unique key that is a collection of models.
  static func uniqueToMany(_ attribute: AttributeSyntax, _ type: TypeSyntax) -> Diagnostic {
    Diagnostic(
      .uniqueToMany, at: attribute,
      "@Relationship(.unique) can't be applied to '\(type)': "
        + "a to-many relationship has no single value to compare")
  }

  /// The diagnostic for a repeated annotation: only the first counts.
  static func repeatedAnnotation(_ attribute: AttributeSyntax) -> Diagnostic {
    Diagnostic(
      .repeatedAnnotation, at: attribute,
      "@\(attribute.baseName) can be applied to a property once: write all options in one",
      fixIts: [attribute.removal(for: .repeatedAnnotation)])
  }

  /// The diagnostic for a relationship to a type that can't be a model.
  static func relationshipToValue(_ attribute: AttributeSyntax, _ type: TypeSyntax) -> Diagnostic {
    Diagnostic(
      .relationshipToValue, at: attribute,
      "@Relationship can't be applied to '\(type)': a relationship leads to models",
      fixIts: [attribute.removal(for: .relationshipToValue)])
  }

  /// The diagnostic for a unique key that isn't written to the store.
  static func uniqueEphemeral(_ attribute: AttributeSyntax) -> Diagnostic {
    Diagnostic(
      .uniqueEphemeral, at: attribute,
      "'.unique' has no effect on an ephemeral property: its values aren't written to the store",
      severity: .warning)
  }
}
