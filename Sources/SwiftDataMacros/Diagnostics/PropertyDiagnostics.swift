import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Diagnostics about single properties of a model.
extension Diagnostic {
  static func annotationOnTransient(
    _ attribute: AttributeSyntax, _ variable: VariableDeclSyntax
  ) -> Diagnostic {
    Diagnostic(
      .annotationOnTransient, at: attribute,
      "@\(attribute.baseName) has no effect on a property that @Transient keeps out of the store",
      fixIts: [variable.removing(attribute, for: .annotationOnTransient)])
  }

  static func attributeAndRelationship(
    _ attribute: AttributeSyntax, _ variable: VariableDeclSyntax
  ) -> Diagnostic {
    Diagnostic(
      .attributeAndRelationship, at: attribute,
      "a property is an attribute or a relationship: "
        + "@Attribute and @Relationship can't be applied together",
      fixIts: [variable.removing(attribute, for: .attributeAndRelationship)])
  }

  static func uniqueToMany(_ attribute: AttributeSyntax, _ type: TypeSyntax) -> Diagnostic {
    Diagnostic(
      .uniqueToMany, at: attribute,
      "@Relationship(.unique) can't be applied to '\(type)': "
        + "a to-many relationship has no single value to compare")
  }
}
