import Foundation

/// A save with ``MergePolicy/error`` met models that others have changed since they were read. Nothing was written, and
/// the context keeps its changes.
///
/// To resolve it, call ``ModelContext/rollback()``, fetch, and make the changes again; or choose another
/// ``ModelContext/mergePolicy`` and save again.
public struct MergeConflictError: Error, Sendable, CustomStringConvertible {
  /// One conflict for each model, in the order of the changes.
  public let conflicts: [MergeConflict]

  package init(conflicts: [MergeConflict]) { self.conflicts = conflicts }

  /// A text that names the models and properties, never the values.
  public var description: String {
    let named = conflicts.prefix(10).map(\.description).joined(separator: "; ")
    let rest = conflicts.count > 10 ? "; and \(conflicts.count - 10) more" : ""
    return
      "Somebody else has changed what was to be saved: \(named)\(rest). Roll back, fetch and try again, or"
      + " choose another merge policy."
  }
}

extension MergeConflictError: LocalizedError {
  /// The text of ``description``, for `localizedDescription`.
  public var errorDescription: String? { description }
}

/// One model that was changed here and, since it was read, by another context or process.
public struct MergeConflict: Sendable, CustomStringConvertible {
  /// The changes of the two sides.
  public enum Kind: Hashable, Sendable {
    /// Both changed the model.
    case edited
    /// It was changed here, and is no longer in the store.
    case deletedInStore
    /// It was deleted here, and changed in the store.
    case deletedHere
  }

  /// The kind of conflict.
  public let kind: Kind
  /// The identifier of the model.
  public let persistentModelID: PersistentIdentifier
  /// The properties whose stored values differ from those that were read, in the order in which the model declares
  /// them; empty when the model is no longer in the store.
  public let changedProperties: [String]
  /// The properties that were changed here; empty for a deletion.
  public let editedProperties: [String]
  private let plan: EntityPlan
  /// nil when the model wasn't read as a whole.
  private let base: RowCopy?
  private let stored: RowCopy?
  private let local: RowCopy

  package init(
    _ kind: Kind, _ persistentModelID: PersistentIdentifier, _ plan: EntityPlan,
    changed: [Int], edited: [Int], base: RowCopy?, stored: RowCopy?, local: RowCopy
  ) {
    self.kind = kind
    self.persistentModelID = persistentModelID
    self.plan = plan
    changedProperties = changed.map { plan.properties[$0].name }
    editedProperties = edited.map { plan.properties[$0].name }
    self.base = base
    self.stored = stored
    self.local = local
  }

  /// Returns a property's value as it was read, before both changes. For a to-one relationship it is the row ID of the
  /// destination. Of a model that was fetched with some properties, and whose others couldn't be read any more, only
  /// the local values of edited properties are known.
  ///
  /// - Parameter property: The name. The result is nil for a property that was nil, for to-many relationships, and for
  ///   unknown names.
  public func baseValue(of property: String) -> (any Sendable)? {
    base.flatMap { value(property, $0) }
  }

  /// Returns a property's value in the store; nil also when the model is no longer in the store.
  public func storedValue(of property: String) -> (any Sendable)? {
    stored.flatMap { value(property, $0) }
  }

  /// Returns a property's value in the context.
  public func localValue(of property: String) -> (any Sendable)? {
    base == nil && !editedProperties.contains(property) ? nil : value(property, local)
  }

  private func value(_ name: String, _ row: RowCopy) -> (any Sendable)? {
    guard let index = plan.propertiesByName[name] else { return nil }
    let columns = plan.properties[index].columns
    if plan.properties[index].relationship != nil {
      guard let column = columns.first, row.cells[column].kind == .integer else { return nil }
      return row.cells[column].bits
    }
    do { return try row.withCells { try plan.value(of: index, in: $0) } } catch {
      SwiftDataLog.report(
        .error, "SwiftData", "A conflict's value of \(plan.name).\(name) can't be read", error)
      return nil
    }
  }

  public var description: String {
    let what =
      switch kind {
      case .edited: "changed in \(changedProperties.joined(separator: ", "))"
      case .deletedInStore: "deleted"
      case .deletedHere:
        "changed in \(changedProperties.joined(separator: ", ")) while it was deleted here"
      }
    return "\(plan.name) \(persistentModelID) was \(what)"
  }
}

/// The changes of a save that a merge policy discarded in favor of the changes of others.
package struct DiscardedChanges {
  /// Models whose changes were dropped.
  package var dropped: [any PersistentModel] = []
  /// Models for which some changed properties kept the store's values.
  package var partial: [any PersistentModel] = []
  /// Models whose rows are gone for good.
  package var deletedInStore: [any PersistentModel] = []

  package init() {}

  package var isEmpty: Bool { dropped.isEmpty && partial.isEmpty && deletedInStore.isEmpty }
}
