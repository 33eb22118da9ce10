import CSQLite
import SwiftDataCore
import SwiftDataSQL

/// An operation that a store couldn't carry out. ``description`` is safe to show; ``debugDescription`` has the SQL,
/// never the values bound to it.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible,
  CustomDebugStringConvertible
{
  /// The kind of failure; an open set.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    public let description: String
    init(_ description: String) { self.description = description }
    /// The file can't be opened or created.
    public static let cannotOpen = Code("cannotOpen")
    /// The file isn't an SQLite database, or its pages are damaged.
    public static let damaged = Code("damaged")
    /// The file belongs to another application.
    public static let foreignFile = Code("foreignFile")
    /// The file's tables don't fit the models.
    public static let schemaMismatch = Code("schemaMismatch")
    /// The file was written by a newer version of this library.
    public static let newerFormat = Code("newerFormat")
    /// The store was opened read-only, or the file may not be written.
    public static let readOnly = Code("readOnly")
    /// The disk is full.
    public static let diskFull = Code("diskFull")
    /// Another connection kept the store locked for too long.
    public static let busy = Code("busy")
    /// Two stored models would share a unique value.
    public static let notUnique = Code("notUnique")
    /// A value that can't be nil is missing.
    public static let missingValue = Code("missingValue")
    /// A relationship leads to a row that doesn't exist.
    public static let danglingReference = Code("danglingReference")
    /// A trigger of another program refused the change.
    public static let refusedByTrigger = Code("refusedByTrigger")
    /// Attributes are encrypted, and no key was given.
    public static let missingKey = Code("missingKey")
    /// The given key isn't the one that the store was written with.
    public static let wrongKey = Code("wrongKey")
    /// A file that a row refers to is missing.
    public static let missingFile = Code("missingFile")
    /// The file, its log or the log's index was deleted, moved or replaced while the store was open: a save would be
    /// lost. Unsaved changes are still in their contexts; create a new container.
    public static let replaced = Code("replaced")
    /// The file can't be read or written.
    public static let inputOutput = Code("inputOutput")
    /// The operation was interrupted.
    public static let interrupted = Code("interrupted")
    /// Any other error that SQLite reports.
    public static let other = Code("other")
  }

  public let code: Code
  /// The file; empty for a store in memory.
  public let path: String
  /// SQLite's extended result code, 0 when the error isn't SQLite's.
  public let resultCode: Int32
  public let explanation: String
  public let sql: String?

  init(
    _ code: Code, path: String, explanation: String, resultCode: Int32 = 0, sql: String? = nil
  ) {
    self.code = code
    self.path = path
    self.explanation = explanation
    self.resultCode = resultCode
    self.sql = sql
  }

  public var description: String {
    let store = path.isEmpty ? "The store in memory" : "The store \(path)"
    return "\(store): \(explanation)"
  }

  public var debugDescription: String {
    "StoreError.\(code)(\(resultCode)): \(description)" + (sql.map { " SQL: \($0)" } ?? "")
  }
}

extension StoreError {
  /// The error that a connection reports after `resultCode`.
  static func sqlite(
    _ resultCode: Int32, _ database: OpaquePointer?, path: String, sql: String? = nil
  ) -> StoreError {
    let extended = database.map { sqlite3_extended_errcode($0) } ?? resultCode
    let message =
      database.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
      ?? String(cString: sqlite3_errstr(resultCode))
    let (code, advice) = meaning(of: extended, message)
    return StoreError(
      code, path: path, explanation: advice.isEmpty ? message : "\(advice) (\(message))",
      resultCode: extended, sql: sql)
  }

  /// Whether a statement exceeds SQLite's limits, for which there are no separate codes
  /// (https://sqlite.org/limits.html).
  var isLimit: Bool {
    if resultCode == SQLITE_TOOBIG { return true }
    guard resultCode == SQLITE_ERROR else { return false }
    return ["parser stack overflow", "Expression tree is too large", "too many SQL variables"]
      .contains { explanation.contains($0) }
  }

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
      return (.busy, "another program keeps it locked; try again")
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
private let SQLITE_CONSTRAINT_FOREIGNKEY_CODE = SQLITE_CONSTRAINT | (3 << 8)
private let SQLITE_CONSTRAINT_NOTNULL_CODE = SQLITE_CONSTRAINT | (5 << 8)
private let SQLITE_CONSTRAINT_PRIMARYKEY_CODE = SQLITE_CONSTRAINT | (6 << 8)
private let SQLITE_CONSTRAINT_UNIQUE_CODE = SQLITE_CONSTRAINT | (8 << 8)

extension StoreError: SpecificError {
  /// Errors that prevent opening a file are load issues of the container.
  package var general: SwiftDataError? {
    let opening: Set<Code> = [
      .cannotOpen, .damaged, .foreignFile, .schemaMismatch, .newerFormat, .missingKey, .wrongKey,
    ]
    return opening.contains(code) ? .loadIssueModelContainer : nil
  }
}
