import ContentFiles
import Foundation
import SwiftDataCore
import SwiftDataSQL

/// The store's resources for attributes beside their columns: search tables, files of large values, and the key.
extension DefaultStore {
  /// Queries for row IDs with which an R*Tree or a text index restricts a predicate's rows beforehand.
  package func searches(for predicate: LoweredPredicate, _ plan: EntityPlan) -> [SQLFragment] {
    guard hasSearchTables else { return [] }
    return IndexSearch(plan: plan, plans: plansByType, dialect: SQLiteDialect())
      .queries(for: predicate)
  }

  /// The conditions with which an index restricts the rows of a request, where it finds few enough.
  ///
  /// SQLite doesn't know how many rows a virtual table will return and reads them all before it processes the first.
  /// For a box around all rows that is slower than reading the table, and much slower than following another index up
  /// to a limit. So the rows are counted first, up to the worthwhile number.
  package func searchConditions<Model: PersistentModel>(
    for predicate: LoweredPredicate, _ request: StoreRequest<Model>
  ) throws -> [SQLFragment] {
    let queries = searches(for: predicate, request.plan)
    guard !queries.isEmpty else { return [] }
    return try withReader { connection in
      let table = SQLIdentifier.quoted(request.plan.table)
      let rows = try connection.integer("SELECT max(\(SQLIdentifier.rowID)) FROM \(table)") ?? 0
      let limit = Self.maximumUsefulRows(of: rows, limit: request.limit)
      return try queries.filter { query in
        let found = try connection.integer(
          "SELECT count(*) FROM (\(query.sql) LIMIT ?)", query.bindings + [.integer(limit + 1)])
        return found ?? 0 <= limit
      }.map { $0.enclosed("t0.\(SQLIdentifier.rowID) IN (", ")") }
    }
  }

  /// The maximum number of rows for which using an index is worthwhile. Measured on 200,000 rows: looking up one row in
  /// eight by ID takes as long as reading all of them. With a limit the alternative reads until it has that many rows,
  /// `limit ÷ share` rows, which are fewer than the index finds when the index finds more than `√(limit · rows)`.
  package static func maximumUsefulRows(of rows: Int64, limit: Int?) -> Int64 {
    guard let limit, limit > 0 else { return max(1000, rows / 8) }
    let balance = (Double(limit) * Double(rows)).squareRoot()
    return max(Int64(limit), Int64(min(balance, Double(rows))))
  }

  // MARK: - External files

  /// The file of a large value.
  ///
  /// - Parameter name: The content of the cell: the SHA-256 of the bytes.
  /// - Returns: nil for any other text, and for a store that keeps large values in its rows. Whether the file exists
  ///   shows only when it is opened; it is removed when no row names it any more.
  package func externalFile(named name: String) -> URL? {
    guard let files = attributes.files, ContentName.isName(name) else { return nil }
    return files.folder.appending(path: name)
  }

  // MARK: - Encrypted bytes of toolkits

  private static let sealedName = "_side"

  /// Encrypts bytes with the store's key; without a key, returns them unchanged.
  package func seal(_ plain: [UInt8]) throws -> [UInt8] {
    attributes.cipher?.seal(plain, column: Self.sealedName) ?? plain
  }

  /// - Returns: nil when the bytes weren't encrypted by ``seal(_:)`` with this store's key, or were changed.
  package func unseal(_ sealed: [UInt8]) -> [UInt8]? {
    attributes.cipher?.open(sealed, column: Self.sealedName)
  }
}
