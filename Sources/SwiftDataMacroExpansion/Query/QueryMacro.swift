import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// `@Query`: turns a variable into the results of a fetch, which a `Query` beside it keeps up to date.
open class QueryMacro: AccessorMacro, PeerMacro {
  public static func expansion(
    of node: AttributeSyntax,
    providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    // The peer expansion reports the problems of a variable, so that they are reported once.
    guard let property = QueryProperty(declaration) else { return [] }
    return [
      """
      get {
        _\(raw: property.name)._value(for: self)
      }
      """
    ]
  }

  public static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let property = QueryProperty(declaration) else {
      context.diagnose(.queryNeedsResults(declaration))
      return []
    }
    return [
      """
      \(raw: property.visibility)var _\(raw: property.name) = \
      SwiftData.Query<\(property.element), \(property.result)>(\(raw: node.argumentText))
      """
    ]
  }
}

/// A variable that `@Query` can be attached to.
private struct QueryProperty {
  let name: String
  /// The model class.
  let element: TypeSyntax
  /// The variable's type.
  let result: TypeSyntax
  /// The modifier of the variable beside it, followed by a space; empty when the whole module may see the variable.
  let visibility: String

  init?(_ declaration: some DeclSyntaxProtocol) {
    guard let variable = declaration.as(VariableDeclSyntax.self), !variable.isConstant,
      variable.isStoredInInstance, variable.bindings.count == 1,
      let binding = variable.bindings.first, binding.initializer == nil,
      let identifier = binding.identifier, let type = binding.typeAnnotation?.type.trimmed,
      let element = type.elementOfResults
    else { return nil }
    name = identifier.plainName
    self.element = element
    result = type
    visibility =
      switch AccessLevel(variable.modifiers) {
      case .private: "private "
      case .fileprivate: "fileprivate "
      case .internal, .package, .public, .open: ""
      }
  }
}

extension TypeSyntax {
  /// The model class in `[Model]`, `Array<Model>` and `SectionedResults<Model, Title>`; nil for other types.
  fileprivate var elementOfResults: TypeSyntax? {
    if let array = self.as(ArrayTypeSyntax.self) { return array.element.trimmed }
    let arguments: GenericArgumentClauseSyntax?
    let name: String
    if let member = self.as(MemberTypeSyntax.self) {
      (name, arguments) = (member.name.text, member.genericArgumentClause)
    } else if let plain = self.as(IdentifierTypeSyntax.self) {
      (name, arguments) = (plain.name.text, plain.genericArgumentClause)
    } else {
      return nil
    }
    guard ["Array", "SectionedResults"].contains(name),
      case .type(let element)? = arguments?.arguments.first?.argument
    else { return nil }
    return element.trimmed
  }
}

extension Diagnostic {
  /// The diagnostic for `@Query` on a declaration that can't be the results of a fetch.
  fileprivate static func queryNeedsResults(_ declaration: some DeclSyntaxProtocol) -> Diagnostic {
    Diagnostic(
      .queryNeedsResults,
      at: declaration.as(VariableDeclSyntax.self)?.bindings.first.map(Syntax.init)
        ?? Syntax(declaration),
      "@Query needs a 'var' without initial value whose type is written as an array of models or as"
        + " 'SectionedResults'")
  }
}
