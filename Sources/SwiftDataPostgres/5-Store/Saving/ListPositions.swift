import SwiftDataCore
import SwiftDataSQL

/// Writes the positions of ordered relationships that changed; all rows and links exist by now. The lists of one
/// relationship are read by one statement, and written by one.
struct ListPositions {
  private struct Owner {
    let rowID: Int64
    let plan: EntityPlan
    let property: Int
    let known: KnownOrder
  }

  private struct Lists {
    let list: ListOrder
    var owners: [Owner] = []
  }

  private var lists: [String: Lists] = [:]
  private var names: [String] = []

  /// Collects the changed lists of a model.
  mutating func append(_ model: any PersistentModel, _ save: SaveOperation) {
    let state = model._$modelState
    guard let plan = state.plan else { return }
    ListOrder.forEachChanged(of: model, plans: save.store.plansByType) { property, list, known in
      let name = "\(list.table).\(list.order)"
      if lists[name] == nil {
        lists[name] = Lists(list: list)
        names.append(name)
      }
      lists[name]?.owners.append(
        Owner(rowID: state.rowID, plan: plan, property: property, known: known))
    }
  }

  func write(_ save: SaveOperation) throws {
    // The order of the tables and rows, so that saves of the same lists don't wait for each other in a circle.
    for name in names.sorted() {
      if let lists = lists[name] { try write(lists, save) }
    }
  }

  private func write(_ lists: Lists, _ save: SaveOperation) throws {
    let list = lists.list
    let stored = try save.run(
      "SELECT \(list.owner), \(list.row), \(list.order) FROM \(list.table)"
        + " WHERE \(list.owner) = ANY (?)"
        + " ORDER BY \(list.owner), \(list.order) NULLS LAST, \(list.row)",
      [.integers(lists.owners.map(\.rowID))])
    var rows: [Int64: [ListOrder.Row]] = [:]
    for row in 0..<stored.rowCount {
      guard let owner = stored.integer(row, 0), let destination = stored.integer(row, 1) else {
        continue
      }
      rows[owner, default: []].append((destination, stored.integer(row, 2)))
    }
    var written: [(owner: Int64, destination: Int64, position: Int64)] = []
    for owner in lists.owners {
      let changes = list.changes(to: owner.known, from: rows[owner.rowID] ?? [])
      for (row, position) in changes {
        written.append((owner.rowID, row, position))
      }
      guard !changes.isEmpty else { continue }
      var mask = ChangeMask()
      mask.insert(owner.property)
      save.recording.update([owner.rowID], mask, of: owner.plan)
    }
    guard !written.isEmpty else { return }
    written.sort { ($0.destination, $0.owner) < ($1.destination, $1.owner) }
    try save.run(
      "UPDATE \(list.table) AS t SET \(list.order) = v.p"
        + " FROM unnest(?::bigint[], ?::bigint[], ?::bigint[]) AS v(o, d, p)"
        + " WHERE t.\(list.row) = v.d AND t.\(list.owner) = v.o",
      [
        .integers(written.map(\.owner)), .integers(written.map(\.destination)),
        .integers(written.map(\.position)),
      ])
  }
}
