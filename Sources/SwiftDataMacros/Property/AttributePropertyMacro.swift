import SwiftSyntax
import SwiftSyntaxMacros

/// `@Attribute`: a note for `@Model`. It adds nothing itself and checks what it stands on.
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
