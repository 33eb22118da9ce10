import SwiftSyntax
import SwiftSyntaxMacros

/// `@_ModelProperty(i)`: gives a variable accessors that fault, observe and record changes. `@Model` writes it, and
/// adds the storage with its other members; `i` is the property's position in the row.
open class ModelPropertyMacro: AccessorMacro {
  /// The generated text is already laid out: laying it out again costs more than everything else.
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
