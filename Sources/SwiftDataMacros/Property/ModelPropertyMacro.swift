import SwiftSyntax
import SwiftSyntaxMacros

/// `@_ModelProperty(i)`: gives a variable accessors that fault, observe and record changes. `@Model` writes it, and the
/// storage with its other members; `i` is the property's place in the row.
open class ModelPropertyMacro: AccessorMacro {
  /// The text is laid out as it is built: laying it out again costs more than all the rest.
  public static var formatMode: FormatMode { .disabled }

  public static func expansion(
    of node: AttributeSyntax,
    providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    PropertyExpansion(node, declaration, storesTransformable: false)?.accessors
      .map(AccessorDeclSyntax.init(verbatim:)) ?? []
  }
}
