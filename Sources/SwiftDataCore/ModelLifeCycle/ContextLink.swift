/// The tie between models and their context. Models hold it strongly, it holds the context weakly, so a
/// model that outlives its context finds nil instead of trapping.
@usableFromInline
package final class ContextLink {
  package weak var context: ModelContext?
  private let core: ContainerCore

  init(core: ContainerCore) { self.core = core }

  /// The identifier of a stored row.
  package func identifier(rowID: Int64, entityName: String) -> PersistentIdentifier? {
    core.entry(named: entityName)?.store.identifier(rowID: rowID, entity: entityName)
  }
}
