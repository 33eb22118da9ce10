import SwiftSyntax
import SwiftSyntaxMacros

/// `@Attribute`: an annotation for `@Model`. It adds nothing itself and checks the declaration that
/// it is attached to.
open class AttributePropertyMacro: PeerMacro {
  public static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    PropertyAnnotation(node, on: declaration).diagnose(in: context)
    return []
  }
}
