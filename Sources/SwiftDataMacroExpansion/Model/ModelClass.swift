import SwiftIfConfig
import SwiftSyntax

/// The facts about a class with `@Model`, read from its syntax.
struct ModelClass {
  let declaration: ClassDeclSyntax
  /// The members that are active in this build, `#if` branches resolved, among attributes, too.
  let members: [DeclSyntax]
  /// The declarations whose attributes had `#if`, as they are written, by the roots of their copies among ``members``.
  let conditionallyAnnotated: [SyntaxIdentifier: VariableDeclSyntax]
  /// The persisted properties in their order of declaration.
  let properties: [PersistedProperty]
  /// Whether the superclass is a model: then this class adds to the superclass's members.
  let isSubmodel: Bool
  /// Whether constants are persisted, see ``persistsConstants(in:)``.
  let persistsConstants: Bool

  /// - Parameter inheritsModel: Whether the class conforms to `PersistentModel` without this macro.
  init(
    _ declaration: ClassDeclSyntax, configuration: (any BuildConfiguration)?,
    inheritsModel: Bool = false
  ) {
    self.declaration = declaration
    let inherited = declaration.inheritanceClause?.inheritedTypes ?? []
    let isWritten = inherited.contains { $0.type.includesPersistentModel }
    isSubmodel = inheritsModel && !inherited.isEmpty && !isWritten
    var conditional: [SyntaxIdentifier: VariableDeclSyntax] = [:]
    members = declaration.memberBlock.activeMembers(in: configuration).map { member in
      guard let variable = member.as(VariableDeclSyntax.self), variable.hasConditionalAttributes
      else { return member }
      let resolved = variable.resolvingAttributes(in: configuration)
      conditional[resolved.root.id] = variable
      return DeclSyntax(resolved)
    }
    conditionallyAnnotated = conditional
    persistsConstants = Self.persistsConstants(in: configuration)
    let withConstants = persistsConstants
    let variables = members.compactMap { $0.as(VariableDeclSyntax.self) }
      .filter { $0.isPersistedByModel(withConstants: withConstants) }
    properties = variables.enumerated().compactMap { index, variable in
      variable.bindings.first.flatMap {
        PersistedProperty(index: index, declaration: variable, binding: $0)
      }
    }
  }

  /// Whether a stored `let` gets accessors and is persisted.
  ///
  /// Before Swift 6 mode the compiler warns of accessor macros on constants and expands them; Apple's macro leaves the
  /// decision to it. In Swift 6 mode the compiler rejects the expansion, and the macro reports that with its own
  /// message.
  static func persistsConstants(in configuration: (any BuildConfiguration)?) -> Bool {
    guard let configuration else { return false }
    return configuration.languageVersion < VersionTuple(6)
  }

  /// The class's name as it is written.
  var name: String { declaration.name.text }
  /// Whether the class may have a superclass with persisted properties. Syntax alone can't show it.
  var mayInherit: Bool { declaration.inheritanceClause != nil }
  var isFinal: Bool { declaration.modifiers.contains(.final) }
  var access: AccessLevel { AccessLevel(declaration.modifiers) }
  var variables: [VariableDeclSyntax] { members.compactMap { $0.as(VariableDeclSyntax.self) } }

  /// The initialisers that set properties themselves: all but the convenience ones.
  var designatedInitializers: [InitializerDeclSyntax] {
    members.compactMap { $0.as(InitializerDeclSyntax.self) }
      .filter { !$0.modifiers.contains(.convenience) }
  }

  /// The `#Unique` and `#Index` declarations inside the class, in their order.
  func declarations(of macro: String) -> [MacroExpansionDeclSyntax] {
    members.compactMap { $0.as(MacroExpansionDeclSyntax.self) }
      .filter { $0.macroName.text == macro }
  }
}

extension TypeSyntax {
  /// Whether an inherited type is spelled as `PersistentModel`, or as a composition with it. Syntax can't show what an
  /// alias stands for.
  fileprivate var includesPersistentModel: Bool {
    if let attributed = self.as(AttributedTypeSyntax.self) {
      return attributed.baseType.includesPersistentModel
    }
    if let composition = self.as(CompositionTypeSyntax.self) {
      return composition.elements.contains { $0.type.includesPersistentModel }
    }
    return trimmedDescription.split(separator: ".").last == "PersistentModel"
  }
}

extension VariableDeclSyntax {
  /// Whether `@Model` persists the declaration: one plain stored variable that isn't `@Transient`.
  ///
  /// - Parameter withConstants: Whether a `let` counts, see ``ModelClass/persistsConstants(in:)``.
  func isPersistedByModel(withConstants: Bool) -> Bool {
    (withConstants || !isConstant) && isStoredInInstance && !isTransient && bindings.count == 1
      && bindings.first?.identifier != nil
  }
}
