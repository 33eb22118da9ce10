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
}
