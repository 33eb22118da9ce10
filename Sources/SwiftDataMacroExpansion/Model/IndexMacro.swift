import SwiftSyntax
import SwiftSyntaxMacros

/// `#Index`: names the combinations of properties for fast searches. `@Model` reads it.
open class IndexMacro: DeclarationMacro {
  public static func expansion(
    of node: some FreestandingMacroExpansionSyntax,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    context.checkConstraint(node)
    return []
  }
}
