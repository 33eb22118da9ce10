import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Diagnostics about single properties of a model.
extension Diagnostic {
  /// The warning for an annotation of a property that isn't stored.
  static func annotationOnTransient(_ attribute: AttributeSyntax) -> Diagnostic {
    Diagnostic(
      .annotationOnTransient, at: attribute,
      "@\(attribute.baseName) has no effect on a property that @Transient keeps out of the store",
      severity: .warning, fixIts: [attribute.removal(for: .annotationOnTransient)])
  }

  /// The diagnostic for two annotations that contradict each other.
  static func attributeAndRelationship(_ attribute: AttributeSyntax) -> Diagnostic {
    Diagnostic(
      .attributeAndRelationship, at: attribute,
      "a property is an attribute or a relationship: "
        + "@Attribute and @Relationship can't be applied together",
      fixIts: [attribute.removal(for: .attributeAndRelationship)])
  }

  /// The warning for a unique key that is a collection of models.
  static func uniqueToMany(_ attribute: AttributeSyntax, _ type: TypeSyntax) -> Diagnostic {
    Diagnostic(
      .uniqueToMany, at: attribute,
      "@Relationship(.unique) has no effect on '\(type)': "
        + "a list of models has no single value to compare",
      severity: .warning)
  }

  /// The warning for a repeated annotation.
  static func repeatedAnnotation(_ attribute: AttributeSyntax) -> Diagnostic {
    let hasOptions = !attribute.labeledArguments.isEmpty
    return Diagnostic(
      .repeatedAnnotation, at: attribute,
      "@\(attribute.baseName) is applied to this property more than once"
        + (hasOptions ? ": all options count, and can be written in one" : ""),
      severity: .warning,
      fixIts: hasOptions ? [] : [attribute.removal(for: .repeatedAnnotation)])
  }

  /// The warning for a relationship to a type that can't be a model.
  static func relationshipToValue(_ attribute: AttributeSyntax, _ type: TypeSyntax) -> Diagnostic {
    let concernsModels: Set = [
      "deleteRule", "inverse", "minimumModelCount", "maximumModelCount",
    ]
    let hasNoEffect = attribute.labeledArguments.allSatisfy { argument in
      argument.label.map { concernsModels.contains($0.text) } ?? false
    }
    return Diagnostic(
      .relationshipToValue, at: attribute,
      "@Relationship is taken as @Attribute: '\(type)' is no model", severity: .warning,
      fixIts: hasNoEffect ? [attribute.removal(for: .relationshipToValue)] : [])
  }

  /// The diagnostic for a unique key that isn't written to the store.
  static func uniqueEphemeral(_ attribute: AttributeSyntax) -> Diagnostic {
    Diagnostic(
      .uniqueEphemeral, at: attribute,
      "'.unique' has no effect on an ephemeral property: its values aren't written to the store",
      severity: .warning)
  }

  /// The warning for a deleted value that the history doesn't keep.
  static func preservedExternal(_ attribute: AttributeSyntax) -> Diagnostic {
    Diagnostic(
      .preservedExternal, at: attribute,
      "'.preserveValueOnDeletion' has no effect with '.externalStorage': the history doesn't keep such"
        + " values of deleted models",
      severity: .warning)
  }
}
