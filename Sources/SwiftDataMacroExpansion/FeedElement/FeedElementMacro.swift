import SwiftSyntax
import SwiftSyntaxMacros

/// `@FeedElement` of LocalCopy: fills a structure directly from the bytes of a feed.
open class FeedElementMacro: ExtensionMacro {
  public static var formatMode: FormatMode { .disabled }

  public static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard let structure = declaration.as(StructDeclSyntax.self) else {
      context.diagnose(.feedElementNeedsStructure(node))
      return []
    }
    if let parameters = structure.genericParameterClause {
      context.diagnose(.feedElementIsGeneric(parameters))
      return []
    }
    let fields = FeedElementFields(structure, configuration: context.activeConfiguration)
    for diagnostic in fields.diagnostics { context.diagnose(diagnostic) }
    guard fields.diagnostics.isEmpty, !protocols.isEmpty else { return [] }
    let access = AccessLevel(structure.modifiers).prefixOfWitness
    let expansion = FeedElementExpansion(fields: fields.all, access: access)
    let conformance: DeclSyntax =
      """
      extension \(type.trimmed): nonisolated FeedElement {
      \(raw: expansion.members)
      }
      """
    return [conformance].compactMap { $0.as(ExtensionDeclSyntax.self) }
  }
}
