import SwiftSyntax
import SwiftSyntaxMacros

/// `@_TransformablePersistedProperty(i)`: as `@_PersistedProperty`, for a value that a transformer
/// turns into data. Inside the model it is stored as it is; the schema's metadata says the rest.
open class TransformablePersistedPropertyMacro: AccessorMacro, PeerMacro {
  /// The text is laid out as it is built: laying it out again costs more than all the rest.
  public static var formatMode: FormatMode { .disabled }

  public static func expansion(
    of node: AttributeSyntax,
    providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    PropertyExpansion(node, declaration, storesTransformable: true)?.accessors
      .map(AccessorDeclSyntax.init(verbatim:)) ?? []
  }

  public static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    PropertyExpansion(node, declaration, storesTransformable: true)?.peers
      .map(DeclSyntax.init(verbatim:)) ?? []
  }
}
