import SwiftDataPostgres
import Testing

@Suite("Texts of statements")
struct PostgresStatementTextTests {
  @Test(
    "number their parameters, but not in quotes",
    arguments: [
      ("SELECT ?", "SELECT $1"), ("a = ? AND b = ?", "a = $1 AND b = $2"),
      ("'?' || ?", "'?' || $1"), ("'it''s ?' = ?", "'it''s ?' = $1"),
      (#""a?b" = ?"#, #""a?b" = $1"#), (#""a""?" = ?"#, #""a""?" = $1"#), ("", ""),
      ("'open ?", "'open ?"),
    ])
  func parameters(text: String, finished: String) {
    #expect(PostgresStatementText.finished(text) == finished)
  }

  @Test("cut names that are too long")
  func names() {
    let long = String(repeating: "Ä", count: 40)
    let cut = PostgresStatementText.shortened(long)
    #expect(cut.utf8.count <= 63 && cut.hasPrefix(String(repeating: "Ä", count: 27) + "_"))
    #expect(cut != PostgresStatementText.shortened(long + "x"))
    #expect(PostgresStatementText.finished("\"\(long)\".\"b\" = ?") == "\"\(cut)\".\"b\" = $1")
    let accented = PostgresStatementText.shortened(long + "\"\u{301}\"")
    #expect(PostgresStatementText.finished("\"\(long)\"\"\u{301}\"\"\"") == "\"\(accented)\"")
    let short = String(repeating: "n", count: 63)
    #expect(PostgresStatementText.finished("\"\(short)\"") == "\"\(short)\"")
    let literal = "'\(long)\(long)'"
    #expect(PostgresStatementText.finished(literal) == literal)
  }
}
