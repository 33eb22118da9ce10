import Foundation
import SwiftDataCore
import SwiftDataSQL

extension ModelContainer {
  /// Changes all models of a class that match a predicate in one transaction. Where SQL can express all changes, the
  /// models aren't loaded; otherwise they are loaded and changed one by one.
  ///
  /// Contexts and observers are notified of the commit as of any other, and it is in the history. Models that already
  /// have the values are not written. An addition to Apple's interface; the counterpart in Core Data is
  /// `NSBatchUpdateRequest`.
  ///
  /// - Parameters:
  ///   - model: The class; models of its subclasses are changed too.
  ///   - predicate: The condition on the stored models; nil means all models.
  ///   - author: The author of the changes, for the history.
  ///   - progress: Called now and then with the number of models changed so far, inside the transaction.
  ///   - changes: Sets the new values, see ``BatchChanges``.
  /// - Returns: The number of changed models.
  /// - Throws: ``SwiftDataError/unknownSchema`` for a class that the container doesn't have,
  ///   ``SwiftDataError/unsupportedKeyPath`` for an attribute that isn't stored (`.ephemeral`), ``StoreError`` when a
  ///   unique value would occur twice or the store can't be written, `CancellationError` when the task is cancelled.
  ///   Nothing has changed then.
  @discardableResult
  public func batchUpdate<Model: PersistentModel>(
    _ model: Model.Type, where predicate: Predicate<Model>? = nil, author: String? = nil,
    progress: ((Int) -> Void)? = nil, _ changes: (inout BatchChanges<Model>) throws -> Void
  ) throws -> Int {
    let entry = try core.entry(for: model)
    var made = BatchChanges<Model>()
    try changes(&made)
    guard !made.assignments.isEmpty else { return 0 }
    for assignment in made.assignments { try requireColumn(assignment.keyPath, of: entry.plan) }
    if let store = entry.store as? any BatchUpdating,
      let count = try store.update(
        made.assignments, of: entry.plan, predicate, author: author, progress: progress)
    {
      return count
    }
    return try changeEach(predicate, made.assignments, author: author, progress: progress)
  }

  /// Refuses an attribute that has no column. A relationship has none where its destinations or a table of pairs have
  /// its links, and the setter of a computed property may change stored ones.
  private func requireColumn(_ keyPath: AnyKeyPath, of plan: EntityPlan) throws {
    let name = KeyPathName.path(keyPath).prefix { $0 != "." }
    guard let index = plan.property(for: keyPath) ?? plan.propertiesByName[String(name)] else {
      return
    }
    let property = plan.properties[index]
    guard property.relationship != nil || !property.columns.isEmpty else {
      throw SwiftDataError.unsupportedKeyPath.explained(
        "A batch can't set \(plan.name).\(property.name): it isn't stored.")
    }
  }

  /// Changes models one by one, and saves them together.
  private func changeEach<Model: PersistentModel>(
    _ predicate: Predicate<Model>?, _ assignments: [BatchAssignment<Model>], author: String?,
    progress: ((Int) -> Void)?
  ) throws -> Int {
    let context = ModelContext(self)
    context.author = author
    // Computes all values first: expressions see this model and those that it leads to as they are stored.
    let models = try context.fetch(FetchDescriptor(predicate: predicate))
    let changes = try models.map { model in
      try Task.checkCancellation()
      return try assignments.map { try $0.change(model, context) }
    }
    var count = 0
    var identifiers: Set<PersistentIdentifier> = []
    for (model, changes) in zip(models, changes) {
      try Task.checkCancellation()
      for change in changes { change() }
      identifiers.insert(model.persistentModelID)
      count += 1
      if count.isMultiple(of: 1_000) { progress?(count) }
    }
    // The models at the other ends of relationships are changed, too.
    let changed = try context.saveChanges().updated.count { identifiers.contains($0) }
    progress?(changed)
    return changed
  }
}
