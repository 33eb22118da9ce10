import Foundation
import SwiftDataCore
import SwiftDataSQL

/// The state of a store for attributes that are encrypted or stored in files.
struct StoreAttributes: StoredAttributes {
  private let plans: [EntityPlan]
  private let location: StoreLocation
  private var path: String { location.path }
  /// nil without a key. A store in memory then keeps encrypted attributes plainly.
  let cipher: ColumnCipher?
  /// nil when no entity has such values, and for stores in memory, which keep large values in the rows.
  let files: ExternalFiles?

  /// - Throws: ``StoreError`` when an attribute of a file is encrypted and there is no key, or the folder can't be
  ///   created.
  init(
    _ plans: [EntityPlan], key: EncryptionKey?, location: StoreLocation, isReadOnly: Bool
  ) throws {
    self.plans = plans
    self.location = location
    cipher = key.map(ColumnCipher.init)
    if key == nil, !location.isInMemory, let first = Self.firstEncrypted(plans) {
      throw StoreError(
        .missingKey, path: location.path,
        explanation: "\(first) is encrypted, and the configuration has no encryptionKey; set it")
    }
    if case .file(let url) = location,
      plans.contains(where: { !ExternalStorage.statements(for: $0).isEmpty })
    {
      files = try ExternalFiles(besides: url, isReadOnly: isReadOnly)
    } else {
      files = nil
    }
  }

  private static func firstEncrypted(_ plans: [EntityPlan]) -> String? {
    plans.lazy.flatMap { plan in
      plan.properties.lazy.filter(\.storage.isEncrypted).map { "\(plan.name).\($0.name)" }
    }.first
  }

  /// An encrypted attribute whose values are kept plainly, in memory; nil when there is none.
  var plainSecret: String? { cipher == nil ? Self.firstEncrypted(plans) : nil }

  /// The codec of an entity; nil when none of its columns is stored in another form.
  func codec(of plan: EntityPlan) -> ColumnCodec? {
    ColumnCodec(plan, cipher: cipher, files: files, path: path)
  }

  /// Encrypts default values. No file is written for one: it stays in its row, however large.
  func encrypt(_ row: inout _RowWriter, columns positions: [Int], of plan: EntityPlan) throws {
    try codec(of: plan)?.encrypt(&row, columns: positions)
  }

  /// Prepares a database that already has its tables, and checks the key.
  ///
  /// - Returns: Whether predicates can use the virtual tables for searching.
  func prepare(_ connection: Connection, identifier: String, isReadOnly: Bool) throws -> Bool {
    try checkKey(connection, identifier, isReadOnly: isReadOnly)
    guard !isReadOnly else { return try SearchTables.areReady(for: plans, on: connection) }
    try SearchTables.prepare(plans, on: connection)
    guard let files else { return true }
    try connection.transaction {
      for plan in plans {
        for statement in ExternalStorage.statements(for: plan) { try connection.execute(statement) }
      }
    }
    try files.withExclusiveAccess { _ = try files.removeUnreferenced(on: connection) }
    return true
  }

  /// Removes the files that a migration has left, in a prepared database, also when no attribute has values in files
  /// any more.
  ///
  /// - Returns: false when others have the store open, so that files were left to a later call.
  func removeFormerFiles(on connection: Connection) throws -> Bool {
    guard case .file(let url) = location else { return true }
    let files = try files ?? ExternalFiles(besides: url, isReadOnly: false)
    try connection.transaction {
      // The files may be those of a stage, in which no store was opened.
      for statement in ExternalStorage.tables { try connection.execute(statement) }
    }
    var isDone = false
    try files.withExclusiveAccess { isDone = try files.removeUnreferenced(on: connection) }
    return isDone
  }

  /// Removes the files whose references the last transaction gave up. The transaction is already committed, so an error
  /// doesn't fail it: the names stay recorded, and the next transaction or opening tries again.
  func removeGarbage(on connection: Connection) {
    // A migration may still be rolled back, including everything that refers to the files.
    guard let files, !connection.openTransaction.isEnclosed else { return }
    do { try files.removeGarbage(on: connection) } catch {
      SwiftDataLog.report(
        .error, "SwiftData", "files that no model uses any more stay for now", error)
    }
  }

  private static let checkKey = "encryptionCheck"

  private func checkKey(
    _ connection: Connection, _ identifier: String, isReadOnly: Bool
  ) throws {
    guard let cipher,
      plans.contains(where: { $0.properties.contains(where: \.storage.isEncrypted) })
    else { return }
    let value = cipher.checkValue(of: identifier)
    if !isReadOnly {
      let insert = try connection.statement(
        "INSERT OR IGNORE INTO \"_metadata\" (key, value) VALUES (?, ?)")
      try insert.bind([.text(Self.checkKey), .text(value)])
      try insert.run()
    }
    let stored = try connection.text(
      "SELECT value FROM \"_metadata\" WHERE key = ?", [.text(Self.checkKey)])
    guard stored == value else {
      throw StoreError(
        .wrongKey, path: path,
        explanation:
          "its encrypted attributes were written with another key than the configuration's;"
          + " open it with that one")
    }
  }
}
