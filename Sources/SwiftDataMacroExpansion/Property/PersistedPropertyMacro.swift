import SwiftSyntax
import SwiftSyntaxMacros

/// `@_PersistedProperty(i)`: gives a variable typed storage beside it and accessors that fault,
/// observe and record changes. `@Model` writes it; `i` is the property's position in the row.
open class PersistedPropertyMacro: AccessorMacro, PeerMacro {
  /// The generated text is already laid out: laying it out again costs more than everything else.
  public static var formatMode: FormatMode { .disabled }

  public static func expansion(
    of node: AttributeSyntax,
    providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    PropertyExpansion(node, declaration, in: context, storesTransformable: false)?.accessors
      .map(AccessorDeclSyntax.init(verbatim:)) ?? []
  }

  public static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    PropertyExpansion(node, declaration, in: context, storesTransformable: false)?.peers
      .map(DeclSyntax.init(verbatim:)) ?? []
  }
}
