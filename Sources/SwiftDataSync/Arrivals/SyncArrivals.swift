import SwiftData
import SwiftDataSQL

/// Objects of a page as rows and as texts for the books.
package struct SyncArrivals: Sendable {
  /// The objects of one entity.
  struct Rows: Sendable {
    let entity: String
    /// How many columns a row has.
    let width: Int
    /// Where each object stands in the page.
    var places: [Int] = []
    /// All rows, one behind the other, and the bytes of their texts.
    var cells: [_Cell] = []
    var arena: [UInt8] = []
    /// The values of all objects as JSON, one behind the other, and where each ends.
    var texts: [UInt8] = []
    var ends: [Int] = []
    /// Which of them are meant.
    var chosen: [Int] = []
  }

  /// The page.
  let changes: [SyncRemote]
  var entities: [Rows]

  /// How many are meant.
  package var count: Int { entities.reduce(0) { $0 + $1.chosen.count } }

  /// Where those that are meant stand in the page.
  package var places: [Int] { entities.flatMap { rows in rows.chosen.map { rows.places[$0] } } }

  package var objects: [SyncObjectID] { places.map { changes[$0].object } }

  /// Leaves out what doesn't hold, and entities of which nothing is left.
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
  /// The values of the object under way, in the order of their names.
  var values: [SyncValue]

  init(_ form: ArrivalForm) {
    rows = SyncArrivals.Rows(entity: form.plan.name, width: form.plan.columns.count)
    row = _RowWriter(plan: form.plan)
    values = Array(repeating: .null, count: form.memberCount)
  }

  /// Notes that the cells last written are the object at a place of the page.
  mutating func finish(_ place: Int, _ write: ([SyncValue], inout [UInt8]) -> Void) {
    write(values, &rows.texts)
    rows.ends.append(rows.texts.count)
    rows.chosen.append(rows.places.count)
    rows.places.append(place)
  }

  /// Takes back the cells of an object that doesn't fit.
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
