import SwiftSyntax
import SwiftSyntaxMacros

/// `#Unique`: names the combinations of properties that must be unique. `@Model` reads it.
open class UniqueConstraintsMacro: DeclarationMacro {
  public static func expansion(
    of node: some FreestandingMacroExpansionSyntax,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    context.checkConstraint(node)
    return []
  }
}
