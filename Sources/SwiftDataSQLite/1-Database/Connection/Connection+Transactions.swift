import CSQLite
import Foundation
import SwiftDataCore

/// The files that an open transaction has created, and its savepoints.
struct OpenTransaction {
  /// Files created by the transaction: they are removed when it is rolled back, before others may write.
  var createdFiles: [String] = []
  /// Whether an outer transaction is open, that of a migration: transactions inside it are savepoints.
  fileprivate(set) var isEnclosed = false
  /// The length of ``createdFiles`` when each savepoint began.
  private var savepoints: [Int] = []

  fileprivate mutating func beginSavepoint() { savepoints.append(createdFiles.count) }

  fileprivate mutating func releaseSavepoint() { savepoints.removeLast() }

  /// Ends the last savepoint.
  ///
  /// - Returns: The files created since it began, which are to be removed; nil without a savepoint.
  fileprivate mutating func rollBackSavepoint() -> [String]? {
    guard let count = savepoints.popLast() else { return nil }
    defer { createdFiles.removeLast(createdFiles.count - count) }
    return Array(createdFiles.dropFirst(count))
  }

  /// Ends the transaction.
  ///
  /// - Returns: The files that it created, which are to be removed.
  fileprivate mutating func rollBack() -> [String] {
    savepoints.removeAll()
    defer { createdFiles.removeAll() }
    return createdFiles
  }
}

extension Connection {
  /// Runs `body` in a transaction: committed when it returns, rolled back when it throws.
  func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    try begin("BEGIN IMMEDIATE")
    do {
      if !openTransaction.isEnclosed { try checkStore() }
      let result = try body()
      try commit()
      return result
    } catch {
      changeRecorder?.abandon()
      rollback()
      throw error
    }
  }

  /// Checks that the current transaction writes to the store's file and fits its schema. Call it when a transaction has
  /// begun.
  func checkStore() throws {
    try files?.check(self)
    try schemaGuard?.check(self)
  }

  /// Runs `body`, in which transactions are savepoints of the open transaction.
  ///
  /// - Throws: ``StoreError`` with the code `inputOutput` when SQLite has ended the open transaction meanwhile,
  ///   although `body` returned.
  func enclosing<Result>(_ body: () throws -> Result) throws -> Result {
    openTransaction.isEnclosed = true
    defer { openTransaction.isEnclosed = false }
    let result = try body()
    try checkEnclosure()
    return result
  }

  /// Begins a transaction of its own, whatever encloses it. Until it ends by ``commitTransaction()`` or
  /// ``rollback()``, nothing is committed.
  ///
  /// SQLite may end a transaction by itself when a system call fails (https://sqlite.org/lang_transaction.html). Later
  /// statements would then be committed one by one; the hook undoes these commits, and lets the statements fail.
  func beginTransaction(_ statement: String) throws {
    try execute(statement)
    sqlite3_commit_hook(handle, { _ in 1 }, nil)
  }

  /// Commits the transaction of ``beginTransaction(_:)``.
  ///
  /// - Throws: ``StoreError``, also when SQLite has ended the transaction meanwhile.
  func commitTransaction() throws {
    try checkEnclosure()
    sqlite3_commit_hook(handle, nil, nil)
    try execute("COMMIT")
    openTransaction.createdFiles.removeAll()
  }

  /// Begins a transaction, or a savepoint inside one.
  func begin(_ statement: String) throws {
    guard openTransaction.isEnclosed else { return try beginTransaction(statement) }
    try checkEnclosure()
    try execute("SAVEPOINT enclosed")
    openTransaction.beginSavepoint()
  }

  private func commit() throws {
    guard openTransaction.isEnclosed else {
      try commitTransaction()
      return try files?.check(self) ?? ()
    }
    try execute("RELEASE enclosed")
    openTransaction.releaseSavepoint()
  }

  /// Checks that SQLite hasn't ended the transaction by itself.
  private func checkEnclosure() throws {
    guard sqlite3_get_autocommit(handle) != 0 else { return }
    throw StoreError(.inputOutput, path: path, explanation: StoreError.endedTransaction)
  }

  private func rollBackSavepoint() {
    guard let files = openTransaction.rollBackSavepoint() else { return }
    // Nothing is left to roll back when SQLite has already done it.
    let isGone = sqlite3_get_autocommit(handle) != 0
    for file in files { unlink(file) }
    guard !isGone else { return }
    do { try execute("ROLLBACK TO enclosed; RELEASE enclosed") } catch {
      SwiftDataLog.report(
        .error, "SwiftData", "a part of a migration couldn't be rolled back", error)
    }
  }

  /// Rolls back if a transaction is open; SQLite ends some failing transactions by itself.
  func rollback() {
    if openTransaction.isEnclosed { return rollBackSavepoint() }
    sqlite3_commit_hook(handle, nil, nil)
    let files = openTransaction.rollBack()
    guard sqlite3_get_autocommit(handle) == 0 else { return }
    for file in files { unlink(file) }
    do { try execute("ROLLBACK") } catch {
      SwiftDataLog.report(
        .error, "SwiftData", "a transaction couldn't be rolled back", error)
    }
  }
}
