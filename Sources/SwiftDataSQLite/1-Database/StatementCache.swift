/// The prepared statements of a connection.
final class StatementCache {
  /// A limit on the cache: programs that build SQL text endlessly must not grow it.
  private static let maximumCount = 256

  private var statements: [String: Statement] = [:]
  /// The statements whose texts are stored elsewhere, by the text's address.
  @exclusivity(unchecked) private var kept:
    [ObjectIdentifier: (text: StatementText, statement: Statement)] = [:]

  /// The prepared form of `sql`, compiled once.
  func statement(_ sql: String, on connection: Connection) throws -> Statement {
    if let cached = statements[sql], !cached.isInUse { return cached }
    let statement = try Statement(sql, on: connection)
    if statements.count >= Self.maximumCount {
      statements = statements.filter { $0.value.isInUse }
    }
    if statements[sql] == nil { statements[sql] = statement }
    return statement
  }

  /// The prepared form of a text that is used repeatedly: found by its address, without hashing the text.
  func statement(_ text: StatementText, on connection: Connection) throws -> Statement {
    guard text.use() else { return try statement(text.sql, on: connection) }
    let found = kept[ObjectIdentifier(text)]?.statement
    if let found, !found.isInUse { return found }
    let statement = try statement(text.sql, on: connection)
    guard found == nil else { return statement }
    if kept.count >= Self.maximumCount { kept.removeAll() }
    kept[ObjectIdentifier(text)] = (text, statement)
    return statement
  }

  /// Finalises all statements.
  func removeAll() {
    kept.removeAll()
    statements.removeAll()
  }
}
