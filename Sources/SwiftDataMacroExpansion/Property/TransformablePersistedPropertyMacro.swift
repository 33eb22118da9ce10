import SwiftSyntax
import SwiftSyntaxMacros

/// `@_TransformablePersistedProperty(i)`: like `@_PersistedProperty`, for a value that a
/// transformer turns into data. The model stores the value itself; the schema's metadata has
/// everything else.
open class TransformablePersistedPropertyMacro: AccessorMacro, PeerMacro {
  /// The generated text is already laid out: laying it out again costs more than everything else.
  public static var formatMode: FormatMode { .disabled }

  public static func expansion(
    of node: AttributeSyntax,
    providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    PropertyExpansion(node, declaration, in: context, storesTransformable: true)?.accessors
      .map(AccessorDeclSyntax.init(verbatim:)) ?? []
  }

  public static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    PropertyExpansion(node, declaration, in: context, storesTransformable: true)?.peers
      .map(DeclSyntax.init(verbatim:)) ?? []
  }
}
