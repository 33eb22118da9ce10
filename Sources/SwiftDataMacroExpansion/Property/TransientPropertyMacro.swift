import SwiftSyntax
import SwiftSyntaxMacros

/// `@Transient`: keeps a stored variable out of the store. It adds nothing itself; `@Model` skips
/// the variable.
open class TransientPropertyMacro: PeerMacro {
  public static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    if !declaration.is(VariableDeclSyntax.self) {
      context.diagnose(.annotationNeedsProperty(node))
    }
    return []
  }
}
