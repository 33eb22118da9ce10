import SwiftDataCore
import Testing

@testable import SwiftDataSQLite

@Suite("Statements on side tables") struct SideTableStatementsTests {
  private let short = SideTable("_a", [.init("n", .integer), .init("b", .blob)], key: .number)
  private let long = SideTable(
    "_long",
    [
      .init("entity", .text), .init("key", .text), .init("version", .integer, isOptional: true),
      .init("deleted", .real, isOptional: true), .init("value", .blob),
    ], key: .ordered(["entity", "key"]),
    indices: [
      .init(
        "_long_open", ["entity", "key"], where: .any([.isTrue("version"), .isNotNull("deleted")])),
      .init("_long_version_of_a_table_with_a_long_name", ["version", "entity", "key", "deleted"]),
    ])

  @Test("A short definition is one line, a long one is divided") func creation() {
    #expect(
      short.creation == "CREATE TABLE IF NOT EXISTS \"_a\" (n INTEGER PRIMARY KEY, b BLOB NOT NULL)"
    )
    #expect(
      long.creation == """
        CREATE TABLE IF NOT EXISTS "_long" (
          entity TEXT NOT NULL, key TEXT NOT NULL, version INTEGER, deleted REAL, value BLOB NOT NULL,
          PRIMARY KEY (entity, key)) WITHOUT ROWID
        """)
    #expect(
      long.indexCreations == [
        """
        CREATE INDEX IF NOT EXISTS "_long_open" ON "_long" (entity, key)
          WHERE version OR deleted IS NOT NULL
        """,
        """
        CREATE INDEX IF NOT EXISTS "_long_version_of_a_table_with_a_long_name"
          ON "_long" (version, entity, key, deleted)
        """,
      ])
  }

  @Test("Insertions name the columns only when some are missing") func insertion() {
    let all = long.columns.map(\.name)
    #expect(
      long.insertion(of: all, existing: nil) == "INSERT INTO \"_long\" VALUES (?,?,?,?,?)")
    #expect(
      short.insertion(of: ["b"], existing: .replace)
        == "INSERT OR REPLACE INTO \"_a\" (b) VALUES (?)")
    #expect(
      short.insertion(of: ["n", "b"], existing: .keep)
        == "INSERT INTO \"_a\" VALUES (?,?) ON CONFLICT DO NOTHING")
    let names = ["entity", "key", "version", "deleted"]
    let rules: [String: SideTableMerge] = [
      "version": .newUnlessNull, "deleted": .oldUnlessNewIsNull,
    ]
    #expect(
      long.insertion(of: names, existing: .merge(rules)).hasSuffix(
        " ON CONFLICT (entity, key) DO UPDATE SET version = coalesce(excluded.version, version),"
          + " deleted = CASE WHEN excluded.deleted IS NOT NULL THEN deleted END"))
  }

  @Test("Nested conditions are in parentheses, with their values in order") func conditions() {
    let condition = SideTableCondition.all([
      .equal("key", .text("k")),
      .any([.isNull("deleted"), .less("deleted", than: .real(1))]),
      .noRow(of: short, sharing: ["entity"], where: .atMost("n", .integer(3))),
      .greater("version", than: .integer(2)),
    ])
    let text = SideTableConditionText(condition, in: long)
    #expect(
      text.sql == "key = ? AND (deleted IS NULL OR deleted < ?) AND NOT EXISTS (SELECT 1 FROM"
        + " \"_a\" AS o WHERE o.entity = \"_long\".entity AND (o.n <= ?)) AND version > ?")
    #expect(text.bindings == [.text("k"), .real(1), .integer(3), .integer(2)])
    #expect(SideTableConditionText(.all([]), in: long).sql == "1")
    #expect(SideTableConditionText(.any([]), in: long).sql == "0")
  }
}

@Suite("Lists of values in statements") struct ListStatementsTests {
  @Test("are divided into parts of two lengths", arguments: [0, 1, 8, 9, 250, 251, 600])
  func parts(count: Int) throws {
    var found: [Int] = []
    var lengths: Set<Int> = []
    try ListStatements.forEachPart(of: Array(0..<count)) { part, length in
      #expect(part.count <= length)
      lengths.insert(length)
      found += part
    }
    #expect(found == Array(0..<count))
    #expect(lengths.isSubset(of: [8, 250]))
  }
}
