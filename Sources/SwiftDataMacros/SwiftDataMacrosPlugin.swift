import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The compiler plugin: it lists every macro that `import SwiftData` declares.
@main
struct SwiftDataMacrosPlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    PersistentModelMacro.self,
    PersistedPropertyMacro.self,
    TransformablePersistedPropertyMacro.self,
    AttributePropertyMacro.self,
    RelationshipPropertyMacro.self,
    TransientPropertyMacro.self,
    UniqueConstraintsMacro.self,
    IndexMacro.self,
    PersistentModelActorMacro.self,
  ]
}
