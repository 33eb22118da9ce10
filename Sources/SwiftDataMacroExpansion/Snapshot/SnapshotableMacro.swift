import SwiftSyntax
import SwiftSyntaxMacros

/// `@Snapshotable`: gives a model a structure with its values.
open class SnapshotableMacro {
  public static var formatMode: FormatMode { .disabled }
}

extension SnapshotableMacro: MemberMacro {
  public static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let declaration = declaration.as(ClassDeclSyntax.self),
      declaration.attributes.mayContain(named: "Model")
    else {
      context.diagnose(.snapshotNeedsModel(declaration, attribute: node))
      return []
    }
    // The compiler names only the protocols that the class doesn't conform to yet.
    guard !protocols.isEmpty else {
      context.diagnose(.snapshotOfSubclass(node))
      return []
    }
    if let parameters = declaration.genericParameterClause {
      context.diagnose(.snapshotOfGenericClass(parameters))
      return []
    }
    let model = ModelClass(declaration, configuration: context.activeConfiguration)
    return SnapshotExpansion(model).members
  }
}

extension SnapshotableMacro: ExtensionMacro {
  public static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard let written = declaration.as(ClassDeclSyntax.self),
      written.attributes.mayContain(named: "Model"), written.genericParameterClause == nil,
      !protocols.isEmpty
    else { return [] }
    let conformance: DeclSyntax =
      "extension \(type.trimmed): nonisolated SwiftDataExtras.SnapshotableModel {}"
    return [conformance].compactMap { $0.as(ExtensionDeclSyntax.self) }
  }
}

/// `@SnapshotIgnored`: leaves a property out of the snapshot. `@Snapshotable` reads it.
open class SnapshotIgnoredMacro: PeerMacro {
  public static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    if !declaration.is(VariableDeclSyntax.self) { context.diagnose(.annotationNeedsProperty(node)) }
    return []
  }
}
