import SwiftSyntax

extension TypeSyntax {
  /// Whether the type is spelled as an array or a set, or as the optional of one.
  var isCollection: Bool {
    if let optional = self.as(OptionalTypeSyntax.self) {
      return optional.wrappedType.isCollection
    }
    if self.is(ArrayTypeSyntax.self) { return true }
    guard let name = self.as(IdentifierTypeSyntax.self) else { return false }
    return ["Array", "Set"].contains(name.name.text)
  }

  /// The type of the elements when the type is spelled as an array, or as the optional of one;
  /// otherwise nil.
  var arrayElement: TypeSyntax? {
    if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType.arrayElement }
    if let array = self.as(ArrayTypeSyntax.self) { return array.element }
    guard let name = self.as(IdentifierTypeSyntax.self), name.name.text == "Array",
      let argument = name.genericArgumentClause?.arguments.first
    else { return nil }
    return TypeSyntax("\(argument.argument)")
  }

  /// Whether the type is spelled as one of those that are certainly not models.
  var isPlainValue: Bool {
    let name = self.as(IdentifierTypeSyntax.self)?.name ?? self.as(MemberTypeSyntax.self)?.name
    return name.map { Self.plainValues.contains($0.text) } ?? true
  }

  private static let plainValues: Set<String> = [
    "Bool", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
    "Float", "Double", "Decimal", "String", "Character", "Date", "Data", "UUID", "URL", "Array",
    "Dictionary", "Set", "Optional",
  ]
}
