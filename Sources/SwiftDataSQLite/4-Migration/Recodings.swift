import SwiftDataCore
import SwiftDataSQL

/// Stores values in another form: encrypted or plain, in files or in their rows.
struct Recodings {
  private static let rowsAtOnce = 256

  let execution: SchemaExecution
  private var connection: Connection { execution.connection }

  init(execution: SchemaExecution) { self.execution = execution }

  func run() throws {
    for recoding in execution.step.recodings { try run(recoding) }
  }

  private func run(_ recoding: SchemaStep.Recoding) throws {
    let old = try codec(recoding.old, recoding.column, table: recoding.oldTable)
    let new = try codec(recoding.new, recoding.column, table: recoding.newTable)
    let table = SQLIdentifier.quoted(recoding.newTable)
    let column = SQLIdentifier.quoted(recoding.column.name)
    let entity = execution.plans.first { $0.name == recoding.entity }
    let own =
      entity?.family == nil
      ? "" : " AND \"_entity\" = \(SQLIdentifier.literal(recoding.entity))"
    let select = try Statement(
      "SELECT \(SQLIdentifier.rowID), \(column) FROM \(table) WHERE \(SQLIdentifier.rowID) > ?"
        + " AND \(column) IS NOT NULL AND \(column) IS NOT ?\(own)"
        + " ORDER BY \(SQLIdentifier.rowID) LIMIT \(Self.rowsAtOnce)", on: connection)
    let update = try Statement(
      "UPDATE \(table) SET \(column) = ? WHERE \(SQLIdentifier.rowID) = ?", on: connection)
    var last = Int64.min
    while true {
      // The rows are read before they are written, so that they don't change under the query.
      var rows: [(rowID: Int64, cell: SQLValue)] = []
      // Rows that the migration gave the default value have it in the new form.
      try select.bind([.integer(last), recoding.fallback ?? .null])
      while try select.step() {
        let cells = select.row(from: 1)
        let value = try old.map { try $0.open(cells) { SQLValue($0[0]) } } ?? SQLValue(cells[0])
        rows.append((select.rowID(), value))
      }
      select.reset()
      guard let end = rows.last else { return }
      for row in rows {
        try update.bind(try sealed(row.cell, new), at: 1)
        try update.bind(.integer(row.rowID), at: 2)
        try update.run()
      }
      last = end.rowID
    }
  }

  private func sealed(_ value: SQLValue, _ codec: ColumnCodec?) throws -> SQLValue {
    guard let codec, let plan = execution.plans.first else { return value }
    var writer = _RowWriter(plan: plan)
    switch value {
    case .null: writer.appendNull()
    case .integer(let integer): writer.append(integer: integer)
    case .real(let real): writer.append(real: real)
    case .text(let text): writer.append(text: text)
    case .blob(let bytes): writer.append(blob: bytes)
    }
    try codec.seal(&writer, columns: [0], on: connection)
    return SQLValue(writer.cells[0], bytes: writer)
  }

  /// The codec of one column for a property of either schema; nil for a plain column.
  private func codec(
    _ property: PropertyDescription, _ column: ColumnDescription, table: String
  ) throws -> ColumnCodec? {
    let isEncrypted = property.storage.isEncrypted
    let kind = ExternalStorage.inlineKind(of: column.kind, property.storage)
    guard isEncrypted || kind != nil else { return nil }
    let cipher = isEncrypted ? execution.attributes.cipher : nil
    if isEncrypted, cipher == nil {
      throw StoreError(
        .missingKey, path: connection.path,
        explanation:
          "\(table).\(property.name) was encrypted, and the configuration has no encryptionKey;"
          + " set it until the store is migrated")
    }
    var files: ExternalFiles?
    if kind != nil, case .file(let url) = execution.location {
      files =
        try execution.attributes.files ?? ExternalFiles(besides: url, isReadOnly: false)
    }
    return ColumnCodec(
      [
        ColumnCodec.Column(
          index: 0, name: "\(table).\(column.name)",
          sealedName: ColumnCipher.name(
            table: table, originalName: property.originalName, members: column.members),
          cipher: cipher, files: files, inlineKind: kind ?? .blob)
      ], path: connection.path)
  }
}
