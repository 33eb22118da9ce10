import CSQLite
import Foundation
import SwiftDataCore
import SwiftDataSQL

extension StoreError {
  /// The error that a connection reports after `resultCode`.
  static func sqlite(
    _ resultCode: Int32, _ database: OpaquePointer?, path: String, sql: String? = nil
  ) -> StoreError {
    let extended = database.map { sqlite3_extended_errcode($0) } ?? resultCode
    let message =
      database.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
      ?? String(cString: sqlite3_errstr(resultCode))
    var (code, advice) = meaning(of: extended, message)
    // Not all calls that find no room report SQLITE_FULL, and none does for a quota.
    let isFull = isFull(database.map { sqlite3_system_errno($0) })
    if code == .inputOutput, isFull { (code, advice) = meaning(of: SQLITE_FULL, message) }
    return StoreError(
      code, path: path, explanation: advice.isEmpty ? message : "\(advice) (\(message))",
      resultCode: extended, sql: sql)
  }

  /// Whether a call failed because its disk or quota is full.
  static func isFull(_ number: Int32?) -> Bool { number == ENOSPC || number == EDQUOT }

  /// The error of a call on a file.
  ///
  /// - Parameters:
  ///   - number: The value of `errno` after the call.
  ///   - code: The code, unless the disk is full.
  ///   - fact: The operation that failed, in words.
  static func file(_ number: Int32, otherwise code: Code, path: String, _ fact: String)
    -> StoreError
  {
    StoreError(
      isFull(number) ? .diskFull : code, path: path,
      explanation: "\(fact): \(String(cString: strerror(number)))")
  }

  /// Whether a statement exceeds SQLite's limits, for which there are no separate codes
  /// (https://sqlite.org/limits.html).
  var isLimit: Bool {
    if resultCode == SQLITE_TOOBIG { return true }
    guard resultCode == SQLITE_ERROR else { return false }
    return ["parser stack overflow", "Expression tree is too large", "too many SQL variables"]
      .contains { explanation.contains($0) }
  }

  /// The explanation of a statement that would have been committed although its transaction was undone.
  static let endedTransaction =
    "an earlier failure of reading or writing ended the transaction, which undid its changes."
    + " Correct its cause, and open the store again"

  private static func meaning(of extended: Int32, _ message: String) -> (Code, String) {
    switch extended {
    case SQLITE_CONSTRAINT_TRIGGER_CODE where !message.hasSuffix(RelationshipTables.denied):
      return (
        .refusedByTrigger,
        "a trigger in the file, which isn't this library's, refused the change; do what it asks"
          + " for, or remove it"
      )
    case SQLITE_CONSTRAINT_UNIQUE_CODE, SQLITE_CONSTRAINT_PRIMARYKEY_CODE:
      return (.notUnique, "two models would share a unique value; change one of them")
    case SQLITE_CONSTRAINT_NOTNULL_CODE, SQLITE_CONSTRAINT_CHECK_CODE:
      return (.missingValue, "a property that can't be nil has no value; set it before saving")
    case SQLITE_CONSTRAINT_FOREIGNKEY_CODE, SQLITE_CONSTRAINT_TRIGGER_CODE:
      return (.danglingReference, "a relationship leads to a model that isn't stored")
    case SQLITE_CONSTRAINT_COMMITHOOK_CODE: return (.inputOutput, endedTransaction)
    default: break
    }
    switch extended & 0xFF {
    case SQLITE_CANTOPEN: return (.cannotOpen, "it can't be opened; check that the folder exists")
    case SQLITE_NOTADB, SQLITE_CORRUPT:
      return (.damaged, "it is damaged or no SQLite file; restore it from a copy")
    case SQLITE_READONLY: return (.readOnly, "it may only be read")
    case SQLITE_PERM, SQLITE_AUTH: return (.cannotOpen, "access is denied")
    case SQLITE_FULL:
      return (.diskFull, "the disk is full, so the change wasn't stored; make room and repeat it")
    case SQLITE_BUSY, SQLITE_LOCKED:
      return (
        .busy,
        "another program, or a batch of this one that hasn't ended, keeps it locked; try again"
      )
    case SQLITE_IOERR: return (.inputOutput, "reading or writing failed")
    case SQLITE_INTERRUPT: return (.interrupted, "the operation was interrupted")
    default: return (.other, "")
    }
  }
}

// The extended codes are macros with arithmetic, which the importer leaves out (sqlite3.h).
/// A subclass's column without a value: rows of other classes have none.
private let SQLITE_CONSTRAINT_CHECK_CODE = SQLITE_CONSTRAINT | (1 << 8)
/// The delete rule `deny`, or a trigger of another program.
private let SQLITE_CONSTRAINT_TRIGGER_CODE = SQLITE_CONSTRAINT | (7 << 8)
/// A commit that ``Connection/beginTransaction(_:)`` prevents.
private let SQLITE_CONSTRAINT_COMMITHOOK_CODE = SQLITE_CONSTRAINT | (2 << 8)
private let SQLITE_CONSTRAINT_FOREIGNKEY_CODE = SQLITE_CONSTRAINT | (3 << 8)
private let SQLITE_CONSTRAINT_NOTNULL_CODE = SQLITE_CONSTRAINT | (5 << 8)
private let SQLITE_CONSTRAINT_PRIMARYKEY_CODE = SQLITE_CONSTRAINT | (6 << 8)
private let SQLITE_CONSTRAINT_UNIQUE_CODE = SQLITE_CONSTRAINT | (8 << 8)
