/// An operation that a store couldn't carry out. ``description`` is safe to show; ``debugDescription`` has the SQL,
/// never the values bound to it.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible,
  CustomDebugStringConvertible
{
  /// The kind of failure; an open set.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    public let description: String
    package init(_ description: String) { self.description = description }
    /// The file can't be opened or created.
    public static let cannotOpen = Code("cannotOpen")
    /// The file isn't an SQLite database, or its pages are damaged.
    public static let damaged = Code("damaged")
    /// The file belongs to another application.
    public static let foreignFile = Code("foreignFile")
    /// The SQLite that the program uses is too old, or was compiled without an option that the models need.
    public static let unsuitableLibrary = Code("unsuitableLibrary")
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
    /// A copy would be written where there is something already.
    public static let alreadyExists = Code("alreadyExists")
    /// The file can't be read or written.
    public static let inputOutput = Code("inputOutput")
    /// The operation was interrupted.
    public static let interrupted = Code("interrupted")
    /// No server answers at the address.
    public static let noServer = Code("noServer")
    /// The server refuses the user, the password or the database.
    public static let accessDenied = Code("accessDenied")
    /// The connection can't be as secure as its address demands: the server has no TLS, or doesn't prove its identity.
    public static let insecureConnection = Code("insecureConnection")
    /// The server, or this process, has as many connections as it permits.
    public static let tooManyConnections = Code("tooManyConnections")
    /// The server was shut down, or the connection to it was lost.
    public static let connectionLost = Code("connectionLost")
    /// The operation took longer than permitted.
    public static let timedOut = Code("timedOut")
    /// The database can't hold a value.
    public static let unsupportedValue = Code("unsupportedValue")
    /// Any other error that the database reports.
    public static let other = Code("other")
  }

  /// The kind of failure.
  public let code: Code
  /// The file, or the address on a server without a password; empty for a store in memory.
  public let path: String
  /// SQLite's extended result code, 0 when the error isn't SQLite's.
  public let resultCode: Int32
  /// The SQLSTATE that a server reported; nil when the error isn't a server's.
  public let sqlState: String?
  /// The failure in words, without the file.
  public let explanation: String
  /// The statement that failed, without the values bound to it; nil when none did.
  public let sql: String?

  package init(
    _ code: Code, path: String, explanation: String, resultCode: Int32 = 0,
    sqlState: String? = nil, sql: String? = nil
  ) {
    self.code = code
    self.path = path
    self.explanation = explanation
    self.resultCode = resultCode
    self.sqlState = sqlState
    self.sql = sql
  }

  public var description: String {
    let store = path.isEmpty ? "The store in memory" : "The store \(path)"
    return "\(store): \(explanation)"
  }

  public var debugDescription: String {
    "StoreError.\(code)(\(sqlState ?? String(resultCode))): \(description)"
      + (sql.map { " SQL: \($0)" } ?? "")
  }
}

extension StoreError {
  /// Whether the error concerns the values of a row, not the store: a batch can continue without the row.
  package var concernsRow: Bool {
    [.notUnique, .missingValue, .danglingReference, .unsupportedValue, .refusedByTrigger]
      .contains(code)
  }
}

extension StoreError: SpecificError {
  /// Errors that prevent opening a store are load issues of the container.
  package var general: SwiftDataError? {
    let opening: Set<Code> = [
      .cannotOpen, .damaged, .foreignFile, .schemaMismatch, .newerFormat, .missingKey, .wrongKey,
      .noServer, .accessDenied, .insecureConnection,
    ]
    return opening.contains(code) ? .loadIssueModelContainer : nil
  }
}
