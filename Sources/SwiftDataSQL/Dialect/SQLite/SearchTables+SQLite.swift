import SwiftDataCore

/// Virtual tables: R*Trees over numeric columns (https://sqlite.org/rtree.html) and full-text tables of trigrams
/// (https://sqlite.org/fts5.html).
extension SearchTables {
  /// The tables of some entities. Classes of one inheritance hierarchy share theirs.
  package static func tables(for plans: [EntityPlan]) -> [Table] {
    var known: Set<String> = []
    return plans.flatMap { plan in
      plan.spatialIndices.map { rtree(plan, $0) } + textColumns(of: plan).map { trigrams(plan, $0) }
    }.filter { known.insert($0.name).inserted }
  }

  // MARK: R*Trees

  /// The shadow tables of an R*Tree (https://sqlite.org/rtree.html, section 6).
  private static let treeEndings = ["_node", "_rowid", "_parent"]

  static func rtreeName(_ plan: EntityPlan, _ columns: [Int]) -> String {
    let members = plan.family?.plans ?? [plan]
    return ObjectNames.name(
      plan.table, columns.map { plan.columns[$0].name }, "rtree",
      among: members.flatMap { member in
        member.spatialIndices.map { $0.map { member.columns[$0].name } }
      })
  }

  /// The largest coordinate: greater numbers aren't 32-bit coordinates. They, and the values they are compared with,
  /// are clamped to this.
  static let largestCoordinate = 3.4e38

  /// A box of one point per row. The coordinates have 32 bits, the lower rounded down, the upper up, so that the box
  /// contains the point. A row without a number in one of the columns matches no range on it, and has no box.
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
      return "SELECT \(source).\(SQLIdentifier.rowID), \(values)@"
        + " WHERE " + numbers.joined(separator: " AND ")
    }
    let bounds = columns.indices.map { "min\($0), max\($0)" }.joined(separator: ", ")
    let removal = "DELETE FROM \(quoted) WHERE id = old.\(SQLIdentifier.rowID);"
    let table = SQLIdentifier.quoted(plan.table)
    let insertion =
      "INSERT OR REPLACE INTO \(quoted) " + row(of: "new").replacing("@", with: "") + ";"
    return Table(
      name: name, creation: "CREATE VIRTUAL TABLE \(quoted) USING rtree(id, \(bounds))",
      filling: "INSERT INTO \(quoted) " + row(of: table).replacing("@", with: " FROM \(table)"),
      emptying: "DELETE FROM \(quoted)", shadowEndings: treeEndings,
      triggers: triggers(
        plan, name, columns: names, insertion: insertion, removal: removal,
        update: removal + " " + insertion), refreshing: [])
  }

  // MARK: Trigrams

  /// The shadow tables of a full-text table (https://sqlite.org/fts5.html, section 9).
  private static let textEndings = ["_data", "_idx", "_content", "_docsize", "_config"]

  static func trigramsName(_ plan: EntityPlan, _ column: Int) -> String {
    ObjectNames.name(plan.table, [plan.columns[column].name], "search")
  }

  /// The rows whose text has changed since the last update of the index, with the text that the index has; NULL for a
  /// row that the index doesn't contain. The key of a text requires a function that other programs lack, so triggers
  /// record rows here, and a search adds the recorded rows to those that the index finds.
  package static let staleTable = "_search_stale"

  /// Creates the table of recorded rows.
  package static let staleCreation =
    "CREATE TABLE IF NOT EXISTS \"\(staleTable)\" ("
    + "source TEXT NOT NULL, row INTEGER NOT NULL, former TEXT, PRIMARY KEY (source, row)) WITHOUT ROWID"

  /// The IDs of the rows that are recorded for the index of a column.
  static func staleRows(_ plan: EntityPlan, _ column: Int) -> String {
    "SELECT row FROM \"\(staleTable)\""
      + " WHERE source = \(SQLIdentifier.literal(trigramsName(plan, column)))"
  }

  /// A contentless table: it records which trigrams of the folded text occur in which row.
  private static func trigrams(_ plan: EntityPlan, _ column: Int) -> Table {
    let name = trigramsName(plan, column)
    let quoted = SQLIdentifier.quoted(name)
    let text = SQLIdentifier.quoted(plan.columns[column].name)
    let table = SQLIdentifier.quoted(plan.table)
    let source = SQLIdentifier.literal(name)
    // An explicit clause: the conflict handling of the statement that fires a trigger replaces `OR IGNORE` in the
    // trigger (https://sqlite.org/lang_createtrigger.html).
    func note(_ row: String, _ former: String) -> String {
      "INSERT INTO \"\(staleTable)\" VALUES (\(source), \(row), \(former))"
        + " ON CONFLICT (source, row) DO NOTHING;"
    }
    let insertion = note("new.\(SQLIdentifier.rowID)", "NULL")
    let removal = note("old.\(SQLIdentifier.rowID)", "old.\(text)")
    return Table(
      name: name,
      creation: "CREATE VIRTUAL TABLE \(quoted) USING fts5(text, content = '', columnsize = 0,"
        + " detail = none, tokenize = 'trigram case_sensitive 1')",
      filling: "INSERT INTO \(quoted) (rowid, text)"
        + " SELECT \(SQLIdentifier.rowID), osd_search_key(\(text)) FROM \(table)",
      emptying: "INSERT INTO \(quoted) (\(quoted)) VALUES ('delete-all')",
      shadowEndings: textEndings,
      triggers: triggers(
        plan, name, columns: [text], insertion: insertion, removal: removal,
        update: removal + " " + insertion,
        changes: "old.\(text) IS NOT new.\(text) OR"
          + " old.\(SQLIdentifier.rowID) <> new.\(SQLIdentifier.rowID)"),
      refreshing: [
        "INSERT INTO \(quoted) (\(quoted), rowid, text)"
          + " SELECT 'delete', row, osd_search_key(former) FROM \"\(staleTable)\""
          + " WHERE source = \(source) AND former IS NOT NULL",
        "INSERT INTO \(quoted) (rowid, text)"
          + " SELECT t.\(SQLIdentifier.rowID), osd_search_key(t.\(text))"
          + " FROM \"\(staleTable)\" AS s CROSS JOIN \(table) AS t"
          + " ON t.\(SQLIdentifier.rowID) = s.row WHERE s.source = \(source)",
        "DELETE FROM \"\(staleTable)\" WHERE source = \(source)",
      ],
      // https://sqlite.org/fts5.html, section 6.9.
      merging: "INSERT INTO \(quoted) (\(quoted)) VALUES ('optimize')",
      lastRow: "SELECT max(\(SQLIdentifier.rowID)) FROM \(table)")
  }

  /// - Parameter changes: The condition under which an update matters; nil for every update of one of the columns.
  private static func triggers(
    _ plan: EntityPlan, _ name: String, columns: [String], insertion: String, removal: String,
    update: String, changes: String? = nil
  ) -> [(name: String, statement: String)] {
    let table = SQLIdentifier.quoted(plan.table)
    func trigger(_ ending: String, _ event: String, _ body: String) -> (String, String) {
      let name = "\(name)_\(ending)"
      return (
        name,
        "CREATE TRIGGER \(SQLIdentifier.quoted(name)) AFTER \(event) BEGIN \(body) END"
      )
    }
    let watched = ([SQLIdentifier.rowID] + columns).joined(separator: ", ")
    let condition = changes.map { " WHEN \($0)" } ?? ""
    return [
      trigger("insert", "INSERT ON \(table)", insertion),
      trigger("delete", "DELETE ON \(table)", removal),
      trigger("update", "UPDATE OF \(watched) ON \(table)\(condition)", update),
    ]
  }
}
