import SwiftSyntax
import SwiftSyntaxMacros

/// `@ModelActor`: gives an actor a container, an executor with its own context, and the initialiser
/// that makes them.
open class PersistentModelActorMacro {}

extension PersistentModelActorMacro: MemberMacro {
  public static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let declaration = declaration.as(ActorDeclSyntax.self) else {
      context.diagnose(.modelActorNeedsActor(declaration, attribute: node))
      return []
    }
    let visibility = AccessLevel(declaration.modifiers).prefixOfWitness
    var members: [DeclSyntax] = [
      "\(raw: visibility)nonisolated let modelExecutor: any SwiftData.ModelExecutor",
      "\(raw: visibility)nonisolated let modelContainer: SwiftData.ModelContainer",
    ]
    let own = declaration.memberBlock.activeMembers(in: context.activeConfiguration)
    if own.needsModelActorInitializer {
      members.append(
        """
        \(raw: visibility)init(modelContainer: SwiftData.ModelContainer) {
          let modelContext = SwiftData.ModelContext(modelContainer)
          self.modelExecutor = SwiftData.DefaultSerialModelExecutor(modelContext: modelContext)
          self.modelContainer = modelContainer
        }
        """)
    }
    return members
  }
}

extension PersistentModelActorMacro: ExtensionMacro {
  public static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard declaration.is(ActorDeclSyntax.self), !protocols.isEmpty else { return [] }
    let conformance: DeclSyntax = "extension \(type.trimmed): SwiftData.ModelActor {}"
    return [conformance].compactMap { $0.as(ExtensionDeclSyntax.self) }
  }
}

extension [DeclSyntax] {
  /// Whether `init(modelContainer:)` has to be generated: the actor doesn't declare it, and either
  /// it has no initialiser at all or the generated one needn't set any of the actor's properties.
  fileprivate var needsModelActorInitializer: Bool {
    let initializers = compactMap { $0.as(InitializerDeclSyntax.self) }
    let isWritten = initializers.contains { initializer in
      let parameters = initializer.signature.parameterClause.parameters
      return parameters.count == 1 && parameters.first?.firstName.text == "modelContainer"
    }
    if isWritten { return false }
    return initializers.isEmpty || !contains(where: \.isStoredWithoutValue)
  }
}

extension DeclSyntax {
  /// Whether the declaration is a stored property that an initialiser has to set.
  fileprivate var isStoredWithoutValue: Bool {
    guard let variable = self.as(VariableDeclSyntax.self), variable.isStoredInInstance else {
      return false
    }
    return variable.bindings.contains { binding in
      binding.initializer == nil && (variable.isConstant || !binding.isOptional)
    }
  }
}
