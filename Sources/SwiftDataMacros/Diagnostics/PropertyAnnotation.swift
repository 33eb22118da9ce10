import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// `@Attribute` or `@Relationship` at the place where it is written.
struct PropertyAnnotation {
  let attribute: AttributeSyntax
  let declaration: any DeclSyntaxProtocol

  init(_ attribute: AttributeSyntax, on declaration: some DeclSyntaxProtocol) {
    self.attribute = attribute
    self.declaration = declaration
  }

  /// Reports at most one problem: the first that makes the annotation meaningless.
  func diagnose(in context: some MacroExpansionContext) {
    guard let variable = declaration.as(VariableDeclSyntax.self) else {
      context.diagnose(.annotationNeedsProperty(attribute))
      return
    }
    if !variable.isStoredInInstance {
      context.diagnose(.annotationNeedsStoredProperty(attribute, kind: variable.kindWithoutStorage))
    } else if variable.isTransient {
      context.diagnose(.annotationOnTransient(attribute))
    } else if attribute.baseName == "Attribute", variable.attributes.contains(named: "Relationship")
    {
      context.diagnose(.attributeAndRelationship(attribute))
    } else if attribute.baseName == "Relationship", attribute.optionNames.contains("unique"),
      let type = variable.bindings.first?.storageType, type.isCollection
    {
      context.diagnose(.uniqueToMany(attribute, type))
    }
  }
}

extension VariableDeclSyntax {
  /// The word for a property that isn't stored in its instance.
  fileprivate var kindWithoutStorage: String {
    if modifiers.contains(.static) || modifiers.contains(.class) { return "static" }
    return modifiers.contains(.lazy) ? "lazy" : "computed"
  }
}
