import SwiftDataCore

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
