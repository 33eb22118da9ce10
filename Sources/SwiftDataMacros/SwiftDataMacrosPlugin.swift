import SwiftCompilerPlugin
import SwiftDataMacroExpansion
import SwiftSyntaxMacros

/// The compiler plugin: it lists all macros that `import SwiftData` and `import LocalCopy` declare.
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
    QueryMacro.self,
    SnapshotableMacro.self,
    SnapshotIgnoredMacro.self,
    FeedElementMacro.self,
  ]
}

// The compiler looks up a macro by the plugin's module and the type's name, so the types of the library appear here as
// subclasses of the same names.
final class PersistentModelMacro: SwiftDataMacroExpansion.PersistentModelMacro {}
final class PersistedPropertyMacro: SwiftDataMacroExpansion.PersistedPropertyMacro {}
final class TransformablePersistedPropertyMacro:
  SwiftDataMacroExpansion.TransformablePersistedPropertyMacro
{}
final class AttributePropertyMacro: SwiftDataMacroExpansion.AttributePropertyMacro {}
final class RelationshipPropertyMacro: SwiftDataMacroExpansion.RelationshipPropertyMacro {}
final class TransientPropertyMacro: SwiftDataMacroExpansion.TransientPropertyMacro {}
final class UniqueConstraintsMacro: SwiftDataMacroExpansion.UniqueConstraintsMacro {}
final class IndexMacro: SwiftDataMacroExpansion.IndexMacro {}
final class PersistentModelActorMacro: SwiftDataMacroExpansion.PersistentModelActorMacro {}
final class QueryMacro: SwiftDataMacroExpansion.QueryMacro {}
final class SnapshotableMacro: SwiftDataMacroExpansion.SnapshotableMacro {}
final class SnapshotIgnoredMacro: SwiftDataMacroExpansion.SnapshotIgnoredMacro {}
final class FeedElementMacro: SwiftDataMacroExpansion.FeedElementMacro {}
