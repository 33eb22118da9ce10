/// The tie between models and their context. Models hold it strongly, it holds the context weakly, so a
/// model that outlives its context finds nil instead of trapping.
@usableFromInline
package final class ContextLink {
  package weak var context: ModelContext?
  private let core: ContainerCore

  init(core: ContainerCore) { self.core = core }

  package func storeIdentifier(of entityName: String) -> String? {
    core.entry(named: entityName)?.store.identifier
  }
}
