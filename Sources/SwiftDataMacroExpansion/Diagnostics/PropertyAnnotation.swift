import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// An `@Attribute` or `@Relationship` with the declaration that it is attached to.
struct PropertyAnnotation {
  let attribute: AttributeSyntax
  let declaration: any DeclSyntaxProtocol

  init(_ attribute: AttributeSyntax, on declaration: some DeclSyntaxProtocol) {
    self.attribute = attribute
    self.declaration = declaration
  }

  /// Reports at most one problem: the first that makes the annotation meaningless.
  func diagnose(in context: some MacroExpansionContext) {
    guard let written = declaration.as(VariableDeclSyntax.self) else {
      context.diagnose(.annotationNeedsProperty(attribute))
      return
    }
    let variable = written.resolvingAttributes(in: context.activeConfiguration)
    if !variable.isStoredInInstance {
      context.diagnose(.annotationNeedsStoredProperty(attribute, kind: variable.kindWithoutStorage))
    } else if variable.isTransient {
      context.diagnose(.annotationOnTransient(attribute))
    } else if attribute.baseName == "Attribute", variable.attributes.contains(named: "Relationship")
    {
      context.diagnose(.attributeAndRelationship(attribute))
    } else if attribute.baseName == "Relationship",
      let type = variable.bindings.first?.storageType, type.isKnownValue
    {
      context.diagnose(.relationshipToValue(attribute, type))
    } else if attribute.baseName == "Relationship", attribute.optionNames.contains("unique"),
      let type = variable.bindings.first?.storageType, type.isCollection
    {
      context.diagnose(.uniqueToMany(attribute, type))
    } else if attribute.baseName == "Attribute",
      Set(attribute.optionNames).isSuperset(of: ["unique", "ephemeral"])
    {
      context.diagnose(.uniqueEphemeral(attribute))
    } else if attribute.baseName == "Attribute",
      Set(attribute.optionNames).isSuperset(of: ["preserveValueOnDeletion", "externalStorage"])
    {
      context.diagnose(.preservedExternal(attribute))
    }
  }
}

extension VariableDeclSyntax {
  /// The word for a property that isn't stored in its instance.
  var kindWithoutStorage: String {
    if modifiers.contains(.static) || modifiers.contains(.class) { return "static" }
    if modifiers.contains(.lazy) { return "lazy" }
    return isOverrideWithObservers ? "superclass's" : "computed"
  }
}

extension TypeSyntax {
  /// Whether the type is spelled like a value type of the standard library or Foundation, which is no model, or like an
  /// optional or a list of one. A model may have any other name.
  var isKnownValue: Bool {
    if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType.isKnownValue }
    if let array = self.as(ArrayTypeSyntax.self) { return array.element.isKnownValue }
    if self.is(DictionaryTypeSyntax.self) { return true }
    guard let name = self.as(IdentifierTypeSyntax.self) else { return false }
    return Self.knownValues.contains(name.name.text)
  }

  private static let knownValues: Set<String> = [
    "Bool", "Data", "Date", "Decimal", "Dictionary", "Double", "Float", "Int", "Int8", "Int16",
    "Int32",
    "Int64", "String", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "URL", "UUID",
  ]
}
