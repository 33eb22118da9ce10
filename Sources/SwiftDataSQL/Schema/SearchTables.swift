import SwiftDataCore

/// The virtual tables that speed up searches an ordinary index can't: R*Trees over numeric columns
/// (https://sqlite.org/rtree.html) and full-text tables of trigrams (https://sqlite.org/fts5.html).
///
/// Triggers keep them, whoever writes. They serve as prefilters only: what they find is tested by the predicate
/// itself, so they may hold more than they need to, never less.
package enum SearchTables {
  /// A virtual table beside an entity's.
  package struct Table: Sendable {
    /// The table's name.
    package let name: String
    /// Makes it.
    package let creation: String
    /// Copies what the entity's rows have.
    package let filling: String
    /// Empties it.
    package let emptying: String
    /// The triggers that keep it.
    package let triggers: [String]
    /// Whether it depends on how texts are folded.
    package let isText: Bool
  }

  /// The tables of some entities. Classes of one line of inheritance share theirs.
  package static func tables(for plans: [EntityPlan]) -> [Table] {
    var known: Set<String> = []
    return plans.flatMap { plan in
      plan.spatialIndices.map { rtree(plan, $0) } + textColumns(of: plan).map { trigrams(plan, $0) }
    }.filter { known.insert($0.name).inserted }
  }

  // MARK: R*Trees

  static func rtreeName(_ plan: EntityPlan, _ columns: [Int]) -> String {
    ([plan.table] + columns.map { plan.columns[$0].name } + ["rtree"]).joined(separator: "_")
  }

  /// Numbers beyond it aren't 32-bit coordinates; they and what they are compared with count as this.
  static let largestCoordinate = 3.4e38

  /// A box of one point a row. The coordinates are 32-bit, the lower rounded down, the upper up, so that the box
  /// holds the point. A row that has no number in one of the columns matches no range on it, and has no box.
  private static func rtree(_ plan: EntityPlan, _ columns: [Int]) -> Table {
    let name = rtreeName(plan, columns)
    let quoted = SQLIdentifier.quoted(name)
    let names = columns.map { SQLIdentifier.quoted(plan.columns[$0].name) }
    func row(of source: String) -> String {
      let values = names.map { name in
        let value = "min(max(\(source).\(name), -\(largestCoordinate)), \(largestCoordinate))"
        return "\(value), \(value)"
      }.joined(separator: ", ")
      let numbers = names.map { "typeof(\(source).\($0)) IN ('integer', 'real')" }
      return "SELECT \(source).\"_id\", \(values)@ WHERE " + numbers.joined(separator: " AND ")
    }
    let bounds = columns.indices.map { "min\($0), max\($0)" }.joined(separator: ", ")
    let removal = "DELETE FROM \(quoted) WHERE id = old.\"_id\";"
    let table = SQLIdentifier.quoted(plan.table)
    let insertion =
      "INSERT OR REPLACE INTO \(quoted) " + row(of: "new").replacing("@", with: "") + ";"
    return Table(
      name: name, creation: "CREATE VIRTUAL TABLE \(quoted) USING rtree(id, \(bounds))",
      filling: "INSERT INTO \(quoted) " + row(of: table).replacing("@", with: " FROM \(table)"),
      emptying: "DELETE FROM \(quoted)",
      triggers: triggers(
        plan, name, columns: names, insertion: insertion, removal: removal),
      isText: false)
  }

  // MARK: Trigrams

  /// The columns with a text index: whole, plain texts with `.spotlight`.
  package static func textColumns(of plan: EntityPlan) -> [Int] {
    plan.columns.indices.filter { index in
      let column = plan.columns[index]
      let storage = plan.properties[column.property].storage
      return storage.isSearchable && storage.isComparable && column.kind == .text
    }
  }

  static func trigramsName(_ plan: EntityPlan, _ column: Int) -> String {
    "\(plan.table)_\(plan.columns[column].name)_search"
  }

  /// A table without content of its own: it knows which trigrams of the folded text are in which row.
  private static func trigrams(_ plan: EntityPlan, _ column: Int) -> Table {
    let name = trigramsName(plan, column)
    let quoted = SQLIdentifier.quoted(name)
    let text = SQLIdentifier.quoted(plan.columns[column].name)
    let table = SQLIdentifier.quoted(plan.table)
    func values(_ source: String) -> String {
      "\(source).\"_id\", osd_search_key(\(source).\(text))"
    }
    return Table(
      name: name,
      creation: "CREATE VIRTUAL TABLE \(quoted) USING fts5(text, content = '', columnsize = 0,"
        + " detail = none, tokenize = 'trigram case_sensitive 1')",
      filling: "INSERT INTO \(quoted) (rowid, text) SELECT \(values(table)) FROM \(table)",
      emptying: "INSERT INTO \(quoted) (\(quoted)) VALUES ('delete-all')",
      triggers: triggers(
        plan, name, columns: [text],
        insertion: "INSERT INTO \(quoted) (rowid, text) VALUES (\(values("new")));",
        removal: "INSERT INTO \(quoted) (\(quoted), rowid, text)"
          + " VALUES ('delete', \(values("old")));"),
      isText: true)
  }

  private static func triggers(
    _ plan: EntityPlan, _ name: String, columns: [String], insertion: String, removal: String
  ) -> [String] {
    let table = SQLIdentifier.quoted(plan.table)
    func trigger(_ ending: String, _ event: String, _ body: String) -> String {
      "CREATE TRIGGER IF NOT EXISTS \(SQLIdentifier.quoted("\(name)_\(ending)"))"
        + " AFTER \(event) ON \(table) BEGIN \(body) END"
    }
    let watched = (["\"_id\""] + columns).joined(separator: ", ")
    return [
      trigger("insert", "INSERT", insertion),
      trigger("delete", "DELETE", removal),
      trigger("update", "UPDATE OF \(watched)", removal + " " + insertion),
    ]
  }
}
