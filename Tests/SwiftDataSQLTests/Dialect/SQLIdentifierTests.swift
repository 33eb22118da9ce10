import SwiftDataSQL
import Testing

@Suite("Quotes in texts of SQL")
struct SQLIdentifierTests {
  /// An accent after a quote makes one character of the two.
  private static let texts = [
    "plain", "it's", "'", "''", "\"", "\"\"", "a'\u{301}b", "'\u{301}", "'\u{338}'", "a\"\u{301}b",
    "\u{301}", "x\u{301}'\u{301}); DROP TABLE \"t\"; --", "x\"\u{301}); DROP TABLE \"t\"; --",
  ]

  @Test("a literal is its text", arguments: texts)
  func literals(_ text: String) throws {
    let rows = try SQLiteDatabase().rows("SELECT \(SQLIdentifier.literal(text))")
    #expect(rows.map { $0.map { $0.map { Array($0.utf8) } } } == [[Array(text.utf8)]])
  }

  @Test("a name is its text", arguments: texts)
  func names(_ text: String) throws {
    let database = try SQLiteDatabase()
    try database.execute("CREATE TABLE t (\(SQLIdentifier.quoted(text)) TEXT)")
    let rows = try database.rows("SELECT name FROM pragma_table_info('t')")
    #expect(rows.map { $0.map { $0.map { Array($0.utf8) } } } == [[Array(text.utf8)]])
  }
}
