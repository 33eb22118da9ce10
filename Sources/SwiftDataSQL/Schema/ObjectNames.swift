import SwiftDataCore

/// The names of what is made in a file for parts of an entity: indices, triggers and virtual tables.
///
/// A name is its parts joined by `_`, as people expect it. Where other parts could be joined to the same name, the parts'
/// lengths come behind it, so that what is made for one is never taken for what was made for another.
package enum ObjectNames {
  /// The name of something that belongs to a table.
  ///
  /// - Parameters:
  ///   - table: The table, or the entity.
  ///   - parts: The names of columns or properties.
  ///   - ending: The kind of the thing.
  ///   - others: The parts of the other things of that kind that the table has.
  package static func name(
    _ table: String, _ parts: [String], _ ending: String, among others: [[String]] = []
  ) -> String {
    let joined = parts.joined(separator: "_")
    // The first `_` ends the name of the table, unless that has one itself.
    let isPlain =
      !table.contains("_") && !table.contains(":")
      && !others.contains { $0 != parts && isSame($0.joined(separator: "_"), joined) }
    guard !isPlain else { return "\(table)_\(joined)_\(ending)" }
    let lengths = ([table] + parts).map { "\($0.utf8.count)" }.joined(separator: ",")
    return "\(table)_\(joined):\(lengths)_\(ending)"
  }

  /// SQLite doesn't tell upper from lower case in names.
  private static func isSame(_ one: String, _ other: String) -> Bool {
    one.lowercased() == other.lowercased()
  }
}
