import SwiftDataCore
import SwiftDataSQL

/// Writes the changed pairs of models to the tables of pairs.
struct PairLinks {
  private let save: SaveOperation

  init(_ save: SaveOperation) { self.save = save }

  private struct Pairs {
    let table: RelationshipPlan.JoinTable
    var owners: [Int64] = []
    var destinations: [Int64] = []

    var name: String { SQLIdentifier.quoted(table.name) }
    var columns: (owner: String, destination: String) {
      (SQLIdentifier.quoted(table.ownerColumn), SQLIdentifier.quoted(table.destinationColumn))
    }
    var values: [PostgresValue] { [.integers(owners), .integers(destinations)] }

    /// The pairs in an order that is the same from both ends, so that saves of the same ones don't wait for each other
    /// in a circle.
    var sorted: Pairs {
      let (first, second) =
        table.ownerColumn < table.destinationColumn
        ? (owners, destinations) : (destinations, owners)
      let order = owners.indices.sorted {
        (first[$0], second[$0]) < (first[$1], second[$1])
      }
      var sorted = self
      sorted.owners = order.map { owners[$0] }
      sorted.destinations = order.map { destinations[$0] }
      return sorted
    }
  }

  /// Deletes the removed pairs.
  func remove(of models: [any PersistentModel]) throws {
    let pairs = try pairs(of: models) { state, changes, _ in
      guard state.rowID != 0 else { return [] }
      return changes.unsavedRemoved.models.map(\._$modelState.rowID).filter { $0 != 0 }
    }
    for pairs in pairs {
      let columns = pairs.columns
      let deleted = try save.run(
        "DELETE FROM \(pairs.name) AS p USING unnest(?::bigint[], ?::bigint[]) AS v(o, d)"
          + " WHERE p.\(columns.owner) = v.o AND p.\(columns.destination) = v.d"
          + " RETURNING p.\(columns.owner), p.\(columns.destination)",
        pairs.values)
      save.recording.link(deleted, of: pairs.table)
    }
  }

  /// Inserts the added pairs; all models have their rows by now.
  func add(of models: [any PersistentModel]) throws {
    let pairs = try pairs(of: models) { _, changes, plan in
      try changes.unsavedAdded.models.filter { !$0._$modelState.isDeleted }.map { destination in
        let rowID = destination._$modelState.rowID
        guard rowID != 0 else { throw SaveOperation.missingStoreRow(plan, changes.property) }
        return rowID
      }
    }
    for pairs in pairs {
      let columns = "\(pairs.columns.owner), \(pairs.columns.destination)"
      let inserted = try save.run(
        "INSERT INTO \(pairs.name) (\(columns))"
          + " SELECT * FROM unnest(?::bigint[], ?::bigint[]) ON CONFLICT DO NOTHING"
          + " RETURNING \(columns)", pairs.values)
      save.recording.link(inserted, of: pairs.table)
    }
  }

  /// Collects pairs by table and end, in the order of these.
  private func pairs(
    of models: [any PersistentModel],
    _ destinations: (_ModelState, LinkChanges, EntityPlan) throws -> [Int64]
  ) throws -> [Pairs] {
    var all: [Pairs] = []
    for model in models {
      let state = model._$modelState
      guard let plan = state.plan else { continue }
      for changes in state.linkChanges {
        guard let table = plan.properties[changes.property].relationship?.joinTable else {
          continue
        }
        let rowIDs = try destinations(state, changes, plan)
        guard !rowIDs.isEmpty else { continue }
        let place =
          all.firstIndex {
            $0.table.name == table.name && $0.table.ownerColumn == table.ownerColumn
          } ?? all.count
        if place == all.count { all.append(Pairs(table: table)) }
        all[place].owners += rowIDs.map { _ in state.rowID }
        all[place].destinations += rowIDs
      }
    }
    return all.map(\.sorted).sorted {
      ($0.table.name, $0.table.ownerColumn) < ($1.table.name, $1.table.ownerColumn)
    }
  }
}
