import SwiftSyntax
import SwiftSyntaxMacros

/// `@Model`: turns a class into a model whose stored variables are kept in a store.
open class PersistentModelMacro {
  /// The generated text is already laid out: laying it out again costs more than everything else.
  public static var formatMode: FormatMode { .disabled }
}

extension PersistentModelMacro: MemberMacro {
  public static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let declaration = declaration.as(ClassDeclSyntax.self) else {
      context.diagnose(.modelNeedsClass(declaration, attribute: node))
      return []
    }
    let inheritsModel = !protocols.contains { $0.lastName == "PersistentModel" }
    let model = ModelClass(
      declaration, configuration: context.activeConfiguration, inheritsModel: inheritsModel)
    for diagnostic in model.diagnostics {
      context.diagnose(diagnostic)
    }
    return model.generatedMembers.map(DeclSyntax.init(verbatim:))
  }
}

extension PersistentModelMacro: MemberAttributeMacro {
  public static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    let configuration = context.activeConfiguration
    let persistsConstants = ModelClass.persistsConstants(in: configuration)
    guard
      let variable = member.as(VariableDeclSyntax.self)?.resolvingAttributes(in: configuration),
      variable.isPersistedByModel(withConstants: persistsConstants),
      let declaration = declaration.as(ClassDeclSyntax.self)
    else { return [] }
    // Called for each member of the class separately, so the other members are examined only to find the position.
    let members = declaration.memberBlock.activeMembers(in: configuration)
    guard let name = variable.bindings.first?.identifier?.plainName else { return [] }
    let index = members.lazy.compactMap { $0.as(VariableDeclSyntax.self) }
      .map { $0.resolvingAttributes(in: configuration) }
      .filter { $0.isPersistedByModel(withConstants: persistsConstants) }
      .enumerated().first { $0.element.bindings.first?.identifier?.plainName == name }?.offset
    guard let index else { return [] }
    let relative = declaration.inheritanceClause == nil ? "" : ", isRelative: true"
    return [AttributeSyntax(verbatim: "_PersistedProperty(\(index)\(relative))")]
  }
}

extension PersistentModelMacro: ExtensionMacro {
  public static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard let declaration = declaration.as(ClassDeclSyntax.self) else { return [] }
    // The compiler names only the protocols that the class doesn't conform to yet.
    let missing = Set(protocols.map(\.lastName))
    var extensions: [DeclSyntax] = []
    if missing.contains("PersistentModel") {
      extensions.append("extension \(type.trimmed): nonisolated SwiftData.PersistentModel {}")
    }
    if missing.contains("Observable") {
      // SwiftData exports the module Observation, whose name a user's type may have, too.
      extensions.append("extension \(type.trimmed): nonisolated SwiftData.Observable {}")
    }
    if missing.contains("Sendable") {
      extensions.append(
        """
        @available(*, unavailable, message: "PersistentModels are not Sendable, consider utilizing \
        a ModelActor or use \(raw: declaration.name.text)'s persistentModelID instead.")
        extension \(type.trimmed): @unchecked Sendable {}
        """)
    }
    return extensions.compactMap { $0.as(ExtensionDeclSyntax.self) }
  }
}

extension TypeSyntax {
  /// The type's name without the module in front.
  fileprivate var lastName: Substring { trimmedDescription.split(separator: ".").last ?? "" }
}
