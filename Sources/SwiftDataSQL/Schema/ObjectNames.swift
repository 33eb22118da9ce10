import SwiftDataCore

/// The names of database objects for parts of an entity: indices, triggers and virtual tables.
///
/// A name consists of its parts joined by `_`. Where other parts could be joined to the same name, the lengths of the
/// parts are appended, so that an object made for one is never taken for an object made for another.
package enum ObjectNames {
  /// The name of an object that belongs to a table.
  ///
  /// - Parameters:
  ///   - table: The table, or the entity.
  ///   - parts: The names of columns or properties.
  ///   - ending: The kind of the object.
  ///   - others: The parts of the table's other objects of that kind.
  package static func name(
    _ table: String, _ parts: [String], _ ending: String, among others: [[String]] = []
  ) -> String {
    let joined = parts.joined(separator: "_")
    // The first `_` ends the name of the table, unless the table's name contains one.
    let isPlain =
      !table.contains("_") && !table.contains(":")
      && !others.contains { $0 != parts && isSame($0.joined(separator: "_"), joined) }
    guard !isPlain else { return "\(table)_\(joined)_\(ending)" }
    let lengths = ([table] + parts).map { "\($0.utf8.count)" }.joined(separator: ",")
    return "\(table)_\(joined):\(lengths)_\(ending)"
  }

  /// Compares without case, as a database may.
  private static func isSame(_ one: String, _ other: String) -> Bool {
    one.lowercased() == other.lowercased()
  }
}
