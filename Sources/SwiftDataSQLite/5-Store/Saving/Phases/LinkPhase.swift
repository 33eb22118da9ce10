import SwiftDataCore
import SwiftDataSQL

/// Writes the links besides the keys in rows that were already written: all rows exist by now.
struct LinkPhase {
  private let context: SaveContext

  init(_ context: SaveContext) { self.context = context }

  func run() throws {
    guard context.store.entities.hasRelationships else { return }
    try resolveCycles()
    let links = JoinTableLinks(context)
    // Before deletions, removed pairs were deleted with the other links.
    if context.changes.deleted.isEmpty { try links.remove(of: context.updated) }
    try links.add(of: context.updated + context.changes.inserted)
  }

  /// Sets the references that were left empty.
  private func resolveCycles() throws {
    for reference in context.openReferences {
      let plan = try context.plan(of: reference.owner)
      let rowID = reference.destination._$modelState.rowID
      guard rowID != 0 else { throw SaveContext.missingStoreRow(plan, reference.property) }
      try context.setReference(reference.property, of: reference.owner, plan, to: .integer(rowID))
    }
  }
}
