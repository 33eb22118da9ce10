import SwiftDataCore
import SwiftDataSQL

/// Rows of one entity that one statement inserts or updates: a list of values for each column, so that the statement's
/// text doesn't depend on their number.
struct RowBatch {
  /// The number of new rows from which COPY pays.
  static let minimumCopied = 64
  /// The usual limit of the bytes of a statement's rows. The server ends connections that send it 1 GiB at once.
  static let usualByteCount = 1 << 24

  let plan: EntityPlan
  /// The positions of the columns.
  let columns: [Int]
  private(set) var lists: [PostgresList]
  private(set) var rowIDs: [Int64] = []
  /// About the number of bytes of the values.
  private(set) var byteCount = 0

  init(_ plan: EntityPlan, columns: [Int]) {
    self.plan = plan
    self.columns = columns
    lists = columns.map { PostgresList(of: Self.type(of: $0, in: plan)) }
  }

  /// The type of a column: ciphertext is data, whatever the type of the value.
  static func type(of column: Int, in plan: EntityPlan) -> PostgresType {
    let column = plan.columns[column]
    let isEncrypted = plan.properties[column.property].storage.isEncrypted
    return PostgresType(isEncrypted ? .data : column.kind)
  }

  /// Appends a row with the cells of ``columns``.
  ///
  /// - Parameter address: The store, for errors.
  mutating func append(
    rowID: Int64, _ cells: ArraySlice<_Cell>, arena: [UInt8], address: String
  ) throws {
    try arena.withUnsafeBytes { arena in
      for (position, cell) in cells.enumerated() {
        let hasBytes = cell.kind == .text || cell.kind == .blob
        let bytes =
          hasBytes
          ? UnsafeRawBufferPointer(rebasing: arena[Int(cell.bits)..<Int(cell.bits) + cell.count])
          : UnsafeRawBufferPointer(start: nil, count: 0)
        do throws(PostgresValueProblem) { try lists[position].append(cell, bytes) } catch {
          throw Self.unsupported(columns[position], error, plan, address)
        }
      }
    }
    rowIDs.append(rowID)
    byteCount += arena.count + 12 * columns.count
  }

  /// Whether another row belongs to the same statement. The first one always does.
  ///
  /// - Parameters:
  ///   - arena: The bytes of the row's texts and data.
  ///   - limit: The number of bytes that a statement should have.
  func hasRoom(for arena: [UInt8], within limit: Int) -> Bool {
    rowIDs.isEmpty || byteCount + arena.count <= limit
  }

  /// Appends the values that a whole row has in ``columns``.
  mutating func append(
    rowID: Int64, of row: [_Cell], arena: [UInt8], address: String
  ) throws {
    try arena.withUnsafeBytes { arena in
      for place in columns.indices {
        let cell = row[columns[place]]
        let hasBytes = cell.kind == .text || cell.kind == .blob
        let bytes =
          hasBytes
          ? UnsafeRawBufferPointer(rebasing: arena[Int(cell.bits)..<Int(cell.bits) + cell.count])
          : UnsafeRawBufferPointer(start: nil, count: 0)
        do throws(PostgresValueProblem) { try lists[place].append(cell, bytes) } catch {
          throw Self.unsupported(columns[place], error, plan, address)
        }
      }
    }
    rowIDs.append(rowID)
    byteCount += arena.count + 12 * columns.count
  }

  /// Checks that the server can take the values of a whole row.
  ///
  /// - Parameter types: The types of the columns.
  static func check(
    _ row: _RowWriter, _ plan: EntityPlan, _ types: [PostgresType], address: String
  ) throws {
    var output: [UInt8] = []
    try row.arena.withUnsafeBytes { arena in
      for column in row.cells.indices {
        let (cell, type) = (row.cells[column], types[column])
        // Numbers of a fixed size, which have the column's kind.
        if cell.kind == .null || cell.kind == .real || (cell.kind == .integer && type == .integer) {
          continue
        }
        let hasBytes = cell.kind == .text || cell.kind == .blob
        let bytes = UnsafeRawBufferPointer(
          rebasing: arena[hasBytes ? Int(cell.bits)..<Int(cell.bits) + cell.count : 0..<0])
        do throws(PostgresValueProblem) {
          if type == .text, cell.kind == .text {
            try PostgresEncoding.checkText(bytes)
          } else {
            output.removeAll(keepingCapacity: true)
            try PostgresEncoding.append(cell, bytes, as: type, to: &output)
          }
        } catch { throw unsupported(column, error, plan, address) }
      }
    }
  }

  private static func unsupported(
    _ column: Int, _ problem: PostgresValueProblem, _ plan: EntityPlan, _ address: String
  ) -> StoreError {
    let name = "\(plan.name).\(plan.properties[plan.columns[column].property].name)"
    return StoreError(
      .unsupportedValue, path: address, explanation: "\(name): \(problem.explanation)")
  }

  /// The parameters of the statements: the row IDs, then a list for each column.
  var values: [PostgresValue] { [.integers(rowIDs)] + lists.map { .list($0) } }

  /// The parameters of ``insertionOfOne``: the values of the first row.
  var valuesOfOne: [PostgresValue] {
    [.value(.integer(rowIDs.first ?? 0))] + lists.map { .single($0) }
  }

  // MARK: - Statements

  /// The condition for different values of a column. -0 and 0 are equal for the server, and different here.
  static func differ(_ left: String, _ right: String, _ column: Int, in plan: EntityPlan) -> String
  {
    type(of: column, in: plan) == .real
      ? "float8send(\(left)) IS DISTINCT FROM float8send(\(right))"
      : "\(left) IS DISTINCT FROM \(right)"
  }

  /// For each column, the condition for another value than that of a row.
  private func differences(in row: String) -> [String] {
    zip(columns, names).enumerated().map { place, column in
      Self.differ("\(row).\(column.1)", "v.c\(place)", column.0, in: plan)
    }
  }

  private var names: [String] { columns.map { SQLIdentifier.quoted(plan.columns[$0].name) } }

  /// The rows as an item of a FROM clause: `v` with the columns `id`, `c0`, `c1` and so on.
  var source: String { source(["id"]) }

  /// The same with these columns of integers in place of `id`.
  private func source(_ integers: [String]) -> String {
    let lists =
      integers.map { _ in "?::bigint[]" }
      + columns.map { "?::\(Self.type(of: $0, in: plan).name)[]" }
    let names = integers + columns.indices.map { "c\($0)" }
    return "unnest(\(lists.joined(separator: ", "))) AS v(\(names.joined(separator: ", ")))"
  }

  var insertion: String {
    let values = insertedValues(rowID: "v.id", columns.indices.map { "v.c\($0)" })
    return "\(insertedColumns) SELECT \(values) FROM \(source)"
  }

  /// Inserts the first row.
  var insertionOfOne: String {
    let values = insertedValues(
      rowID: "?::bigint", columns.map { "?::\(Self.type(of: $0, in: plan).name)" })
    return "\(insertedColumns) VALUES (\(values))"
  }

  private var insertedColumns: String {
    let kind = plan.family.map { _ in [SQLIdentifier.quoted(EntityFamily.discriminator)] } ?? []
    let names = [SQLIdentifier.rowID] + kind + names
    return "INSERT INTO \(SQLIdentifier.quoted(plan.table)) (\(names.joined(separator: ", ")))"
  }

  private func insertedValues(rowID: String, _ values: [String]) -> String {
    let kind = plan.family.map { _ in [SQLIdentifier.literal(plan.name)] } ?? []
    return ([rowID] + kind + values).joined(separator: ", ")
  }

  private var assignments: String {
    names.enumerated().map { "\($1) = v.c\($0)" }.joined(separator: ", ")
  }

  /// Updates the rows that exist and have other values, and returns their IDs.
  var update: String {
    let differences = differences(in: "t")
    return "UPDATE \(SQLIdentifier.quoted(plan.table)) AS t SET \(assignments) FROM \(source)"
      + " WHERE t.\(SQLIdentifier.rowID) = v.id AND (\(differences.joined(separator: " OR ")))"
      + " RETURNING t.\(SQLIdentifier.rowID)"
  }

  /// Updates the rows that have the versions still with which they were read, and returns their IDs. Its parameters are
  /// the IDs, the versions, and a list for each column.
  var updateOfVersions: String {
    "UPDATE \(SQLIdentifier.quoted(plan.table)) AS t SET \(assignments)"
      + " FROM \(source(["id", "version"]))"
      + " WHERE t.\(SQLIdentifier.rowID) = v.id AND t.xmin = v.version::integer"
      + " RETURNING t.\(SQLIdentifier.rowID)"
  }

  /// Returns the IDs of the rows that exist.
  static func existing(_ plan: EntityPlan) -> String {
    "SELECT \(SQLIdentifier.rowID) FROM \(SQLIdentifier.quoted(plan.table))"
      + " WHERE \(SQLIdentifier.rowID) = ANY (?)"
  }

  /// Does the same, and locks the rows, so that they exist until the transaction ends.
  static func lockingExisting(_ plan: EntityPlan) -> String {
    existing(plan) + " ORDER BY \(SQLIdentifier.rowID) FOR NO KEY UPDATE"
  }

  /// Updates the rows that exist, and returns their IDs and whether each column had another value.
  ///
  /// - Parameter onlyDifferent: Whether rows that have the values already are left alone and not returned.
  func comparingUpdate(onlyDifferent: Bool) -> String {
    Self.comparingUpdate(
      of: Array(zip(columns, columns.indices)), in: plan, from: source,
      where: ["t.\(SQLIdentifier.rowID) = v.id"], onlyDifferent: onlyDifferent)
  }

  /// An update of rows that are locked when they are compared: an update alone would compare with the values that they
  /// had before it waited for another transaction. They are locked in the order of their IDs, so that batches don't
  /// wait for each other in a circle.
  ///
  /// - Parameters:
  ///   - columns: The columns to set, each with the number of its new values in `source`.
  ///   - source: A ``source`` whose IDs are those of the rows.
  ///   - conditions: The conditions for the row `t` that gets the values `v`.
  static func comparingUpdate(
    of columns: [(column: Int, place: Int)], in plan: EntityPlan, from source: String,
    where conditions: [String], onlyDifferent: Bool
  ) -> String {
    let table = SQLIdentifier.quoted(plan.table)
    let id = SQLIdentifier.rowID
    let names = columns.map { SQLIdentifier.quoted(plan.columns[$0.column].name) }
    let differences = zip(names, columns).map {
      differ("t.\($0)", "v.c\($1.place)", $1.column, in: plan)
    }
    let results = differences.enumerated().map { ", \($1) AS d\($0)" }.joined()
    let filter = onlyDifferent ? " WHERE (\(differences.joined(separator: " OR ")))" : ""
    let assignments = zip(names, columns).map { "\($0) = n.c\($1.place)" }
    return "WITH n AS MATERIALIZED (SELECT v.*\(results) FROM \(source) JOIN \(table) AS t"
      + " ON \(conditions.joined(separator: " AND "))\(filter)"
      + " ORDER BY t.\(id) FOR NO KEY UPDATE OF t),"
      + " u AS (UPDATE \(table) AS t SET \(assignments.joined(separator: ", "))"
      + " FROM n WHERE t.\(id) = n.id)"
      + " SELECT id\(columns.indices.map { ", d\($0)" }.joined()) FROM n"
  }

  /// The properties of the columns that a row of a comparing update had other values of.
  static func differences(
    _ result: PostgresResult, _ row: Int, of columns: [Int], in plan: EntityPlan
  ) -> ChangeMask {
    var mask = ChangeMask()
    for (place, column) in columns.enumerated() where result.isTrue(row, place + 1) {
      mask.insert(plan.columns[column].property)
    }
    return mask
  }

  /// Finds the rows that have the values of ``columns``, and locks them in the order of their IDs. The IDs of the batch
  /// are positions here, which are returned with the IDs of the rows and, in a family of classes, the names of their
  /// entities.
  var lookup: String {
    let conditions = names.enumerated().map { "t.\($1) = v.c\($0)" }
    let entity =
      plan.family == nil ? "" : ", t.\(SQLIdentifier.quoted(EntityFamily.discriminator))"
    return "SELECT v.id, t.\(SQLIdentifier.rowID)\(entity) FROM \(source)"
      + " JOIN \(SQLIdentifier.quoted(plan.table)) AS t"
      + " ON \(conditions.joined(separator: " AND "))"
      + " ORDER BY t.\(SQLIdentifier.rowID) FOR NO KEY UPDATE OF t"
  }
}
