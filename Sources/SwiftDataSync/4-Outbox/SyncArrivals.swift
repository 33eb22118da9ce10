import SwiftData
import SwiftDataSQL

/// Objects of a page, as rows and as JSON texts for the bookkeeping tables.
package struct SyncArrivals: Sendable {
  /// The objects of one entity.
  struct Rows: Sendable {
    let entity: String
    /// The number of columns of a row.
    let width: Int
    /// The index of each object in the page.
    var places: [Int] = []
    /// The cells of all rows in sequence, and the bytes of their texts.
    var cells: [_Cell] = []
    var arena: [UInt8] = []
    /// The values of all objects as JSON in sequence, and the end of each text.
    var texts: [UInt8] = []
    var ends: [Int] = []
    /// The indices of the rows to be written.
    var chosen: [Int] = []
  }

  /// The page.
  let changes: [SyncRemote]
  var entities: [Rows]

  /// The number of rows to be written.
  package var count: Int { entities.reduce(0) { $0 + $1.chosen.count } }

  /// The indices in the page of the objects to be written.
  package var places: [Int] { entities.flatMap { rows in rows.chosen.map { rows.places[$0] } } }

  package var objects: [SyncObjectID] { places.map { changes[$0].object } }

  /// Removes the objects that don't satisfy the condition, and entities without remaining objects.
  mutating func keep(_ isKept: (SyncRemote) -> Bool) {
    for index in entities.indices {
      let places = entities[index].places
      entities[index].chosen.removeAll { !isKept(changes[places[$0]]) }
    }
    entities.removeAll(where: \.chosen.isEmpty)
  }
}

/// Collects rows of one entity.
struct ArrivalWriter {
  private(set) var rows: SyncArrivals.Rows
  var row: _RowWriter
  /// The values of the current object, in the order of their names.
  var values: [SyncValue]

  init(_ form: ArrivalForm) {
    rows = SyncArrivals.Rows(entity: form.plan.name, width: form.plan.columns.count)
    row = _RowWriter(plan: form.plan)
    values = Array(repeating: .null, count: form.memberCount)
  }

  /// Assigns the cells written last to the object at an index of the page.
  mutating func finish(_ place: Int, _ write: ([SyncValue], inout [UInt8]) -> Void) {
    write(values, &rows.texts)
    rows.ends.append(rows.texts.count)
    rows.chosen.append(rows.places.count)
    rows.places.append(place)
  }

  /// Removes the cells of an object that doesn't fit.
  mutating func takeBack() {
    let kept = rows.places.count * rows.width
    row.cells.removeLast(row.cells.count - kept)
  }

  var finished: SyncArrivals.Rows {
    var rows = rows
    rows.cells = row.cells
    rows.arena = row.arena
    return rows
  }
}
