import SwiftDataCore

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
