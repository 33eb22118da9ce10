import CMappedFiles
import CSQLite
import Foundation
import SwiftDataCore
import SwiftDataSQL

/// One SQLite connection with its prepared statements. Used by one caller at a time: opened without SQLite's own mutex,
/// which costs a third more instructions for a fetch.
final class Connection {
  enum Role {
    case reader, writer
  }

  let path: String
  /// The memory that the connection may use.
  let memory: StoreMemory
  let handle: OpaquePointer
  private var statements: [String: Statement] = [:]
  /// The statements whose texts are stored elsewhere, by the text's address.
  @exclusivity(unchecked) private var kept:
    [ObjectIdentifier: (text: StatementText, statement: Statement)] = [:]
  /// A limit on the cache: programs that build SQL text endlessly must not grow it.
  private static let maximumStatementCount = 256
  /// Files created by the open transaction: they are removed when it is rolled back, before others may write.
  var createdFiles: [String] = []
  /// Whether an outer transaction is open, that of a migration: transactions inside it are savepoints.
  private(set) var isEnclosed = false
  /// The length of ``createdFiles`` when each savepoint began.
  private var savepoints: [Int] = []
  /// The last result of `PRAGMA data_version`.
  var dataVersion: Int64 = 0
  /// The last commit at the time ``dataVersion`` was read.
  var observedCommit: LogCommit?
  /// Whether a statement waits for other writers, up to ten seconds.
  var waitsForWriters = true {
    didSet {
      waitsForWriters ? BusyHandler.install(on: handle) : BusyHandler.uninstall(on: handle)
    }
  }
  /// The commit included in the read transaction in which the connection waits for its next use; nil while none is
  /// open, see ``Connection/continueReading(_:within:)``.
  var readCommit: LogCommit?
  /// The time of the last read of rows, in nanoseconds of ``DispatchTime``.
  var lastReading: UInt64 = 0
  /// The open file; nil in memory, and where it isn't needed.
  var identity: FileIdentity?
  /// The version of the file at opening, for a file that is read without locks.
  var version: FileStatus.Version?
  /// Whether the connection reads, without locks, a file that isn't being written.
  let isImmutable: Bool
  /// Whether it reads pages directly from the mapped file, see ``checkMapping()``.
  let isMapped: Bool
  /// The number of mapping failures in this process at the last call of ``checkMapping()``.
  private var mappingFailures = swift_data_mapping_failures()
  /// Whether the write-ahead log is open, see ``opensLog()``.
  private var isLogOpen = false
  /// The store's files, which a writing connection checks; nil while they are being created, and in memory.
  var files: StoreFiles?
  /// The pool's epoch when the connection joined it.
  var poolEpoch = 0
  /// Counts the statements of all connections of a store.
  var counter: StatementCounter?
  /// Checks the tables when a transaction has begun; nil while they are being created.
  var schemaGuard: (any TransactionGuard)?
  /// The text indices that are to be updated before each commit.
  var textIndices: [SearchTables.Table] = []
  /// Records the connection's changes; nil when nothing does.
  var changeRecorder: (any ChangeRecorder)?
  /// The values that statements for several rows read; nil until first used.
  private var rowValueBuffer: RowValueBuffer?

  /// - Parameters:
  ///   - location: The location of the database.
  ///   - role: Determines the size of the page cache.
  ///   - creates: Whether a missing file is created.
  ///   - mapsFile: Whether the file is mapped, as far as `memory` allows. The caller must call ``checkMapping()``
  ///     before it uses data that it has read.
  ///   - asImmutable: Whether a file is read without locks and without its log. The caller must check that it hasn't
  ///     been written to, see ``readingWithoutSideFiles(of:_:)``.
  init(
    _ location: StoreLocation, role: Role, isReadOnly: Bool, memory: StoreMemory = .standard,
    creates: Bool = false, mapsFile: Bool = false, asImmutable: Bool = false
  ) throws {
    path = location.path
    self.memory = memory
    if !isReadOnly, !location.isInMemory { StoreFiles.unlinkIndex(of: location.path) }
    let mappedFileSystem =
      mapsFile && memory.mapping > 0 && !location.isInMemory
      ? swift_data_mapped_file_system() : nil
    isMapped = mappedFileSystem != nil
    (handle, isImmutable) = try Self.open(
      location, isReadOnly: isReadOnly, creates: creates, asImmutable: asImmutable,
      fileSystem: mappedFileSystem)
    sqlite3_extended_result_codes(handle, 1)
    BusyHandler.install(on: handle)
    do {
      try configure(role: role)
      try StringFunctions.register(on: self)
      try TotalFunction.register(on: self)
    } catch {
      sqlite3_close_v2(handle)
      throw error
    }
  }

  deinit {
    kept.removeAll()
    statements.removeAll()
    sqlite3_close_v2(handle)
  }

  private func configure(role: Role) throws {
    try execute("PRAGMA foreign_keys = ON")
    // Delete rules of a row may delete rows of the same table.
    try execute("PRAGMA recursive_triggers = ON")
    try execute("PRAGMA secure_delete = OFF")
    // A writer that caches the pages of its transaction neither reads them again nor writes them twice.
    try setPageCache(
      kibibytes: role == .writer ? memory.writingKibibytes : memory.readingKibibytes)
    try execute("PRAGMA temp_store = MEMORY")
    try execute("PRAGMA mmap_size = \(isMapped ? memory.mapping : 0)")
  }

  /// Checks that the data read came from the file.
  ///
  /// A page of a mapped file that no longer exists reads as zeros. Call this before using data read since the last
  /// call; when it throws, the connection can't be used any more.
  func checkMapping() throws {
    guard isMapped else { return }
    let failures = swift_data_mapping_failures()
    guard failures != mappingFailures else { return }
    mappingFailures = failures
    var hasFailed: Int32 = 0
    sqlite3_file_control(handle, "main", SWIFT_DATA_MAPPING_FAILED, &hasFailed)
    guard hasFailed != 0 else { return }
    throw StoreError(
      .inputOutput, path: path,
      explanation: "a part of the file couldn't be read: it was cut off, or the disk has failed")
  }

  /// The number of pages in the write-ahead log after a commit, where ``StoreWriter`` manages it.
  var logLength = 0

  /// Opens the write-ahead log, as the first read does; false for a database without one.
  ///
  /// From then on a lock on the file lasts as long as the connection, and with it the log and its index: the last
  /// connection to close removes them, which SQLite refuses while others hold that lock. Without the lock, the index
  /// must not be read: a connection that has only the index open keeps the index of a removed log, and shows it to
  /// connections that create the log again.
  func opensLog() -> Bool {
    if isLogOpen { return true }
    var isLog = false
    // Without the SELECT, SQLite would return the journal mode from its last read. The next statement reports any
    // error.
    let result = withUnsafeMutablePointer(to: &isLog) { isLog in
      sqlite3_exec(
        handle, "SELECT 1 FROM sqlite_schema LIMIT 1; PRAGMA journal_mode",
        { context, _, values, _ in
          if let mode = values?.pointee {
            context?.assumingMemoryBound(to: Bool.self).pointee = strcmp(mode, "wal") == 0
          }
          return SQLITE_OK
        }, isLog, nil)
    }
    isLogOpen = result == SQLITE_OK && isLog
    return isLogOpen
  }

  /// Limits the page cache; memory is allocated only for pages that are touched.
  func setPageCache(kibibytes: Int) throws {
    // A negative value is in KiB, a positive one in pages (https://sqlite.org/pragma.html#pragma_cache_size).
    try execute("PRAGMA cache_size = -\(kibibytes)")
  }

  /// Runs statements that return no rows.
  func execute(_ sql: String) throws {
    let result = sqlite3_exec(handle, sql, nil, nil, nil)
    guard result == SQLITE_OK else { throw error(result, sql: sql) }
  }

  /// The prepared form of `sql`, compiled once.
  func statement(_ sql: String) throws -> Statement {
    if let cached = statements[sql], !cached.isInUse { return cached }
    let statement = try Statement(sql, on: self)
    if statements.count >= Self.maximumStatementCount {
      statements = statements.filter { $0.value.isInUse }
    }
    if statements[sql] == nil { statements[sql] = statement }
    return statement
  }

  /// The prepared form of a text that is used repeatedly: found by its address, without hashing the text.
  func statement(_ text: StatementText) throws -> Statement {
    guard text.use() else { return try statement(text.sql) }
    let found = kept[ObjectIdentifier(text)]?.statement
    if let found, !found.isInUse { return found }
    let statement = try statement(text.sql)
    guard found == nil else { return statement }
    if kept.count >= Self.maximumStatementCount { kept.removeAll() }
    kept[ObjectIdentifier(text)] = (text, statement)
    return statement
  }

  /// The values that statements for several rows read.
  func valuesOfRows() throws -> RowValueBuffer {
    if let rowValueBuffer { return rowValueBuffer }
    let made = try RowValueBuffer(on: self)
    rowValueBuffer = made
    return made
  }

  func error(_ result: Int32, sql: String? = nil) -> StoreError {
    StoreError.sqlite(result, handle, path: path, sql: sql)
  }

  /// Runs `body` in a transaction: committed when it returns, rolled back when it throws.
  func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    try begin("BEGIN IMMEDIATE")
    do {
      if !isEnclosed { try checkStore() }
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
  /// - Throws: ``StoreError`` with the code `inputOutput` when SQLite has ended the open transaction meanwhile, although
  ///   `body` returned.
  func enclosing<Result>(_ body: () throws -> Result) throws -> Result {
    isEnclosed = true
    defer { isEnclosed = false }
    let result = try body()
    try checkEnclosure()
    return result
  }

  /// Begins a transaction, or a savepoint inside one.
  func begin(_ statement: String) throws {
    guard isEnclosed else { return try execute(statement) }
    try checkEnclosure()
    try execute("SAVEPOINT enclosed")
    savepoints.append(createdFiles.count)
  }

  private func commit() throws {
    guard isEnclosed else {
      try execute("COMMIT")
      createdFiles.removeAll()
      return try files?.check(self) ?? ()
    }
    try execute("RELEASE enclosed")
    savepoints.removeLast()
  }

  /// SQLite may end a transaction by itself when a system call fails (https://sqlite.org/lang_transaction.html). Later
  /// statements would then be committed separately.
  private func checkEnclosure() throws {
    guard sqlite3_get_autocommit(handle) != 0 else { return }
    throw StoreError(
      .inputOutput, path: path,
      explanation:
        "an earlier failure of reading or writing ended the transaction, which undid its changes."
        + " Correct its cause, and open the store again")
  }

  private func rollBackSavepoint() {
    guard let count = savepoints.popLast() else { return }
    // Nothing is left to roll back when SQLite has already done it.
    let isGone = sqlite3_get_autocommit(handle) != 0
    for file in createdFiles.dropFirst(count) { unlink(file) }
    createdFiles.removeLast(createdFiles.count - count)
    guard !isGone else { return }
    do { try execute("ROLLBACK TO enclosed; RELEASE enclosed") } catch {
      SwiftDataLog.report(
        .error, "SwiftData", "a part of a migration couldn't be rolled back", error)
    }
  }

  /// Rolls back if a transaction is open; SQLite ends some failing transactions by itself.
  func rollback() {
    if isEnclosed { return rollBackSavepoint() }
    savepoints.removeAll()
    defer { createdFiles.removeAll() }
    guard sqlite3_get_autocommit(handle) == 0 else { return }
    for file in createdFiles { unlink(file) }
    do { try execute("ROLLBACK") } catch {
      SwiftDataLog.report(
        .error, "SwiftData", "a transaction couldn't be rolled back", error)
    }
  }

  /// Stops recording the connection's changes.
  func stopRecording() {
    sqlite3_preupdate_hook(handle, nil, nil)
    changeRecorder = nil
  }

  /// The integer in the first column of the first row.
  func integer(_ sql: String, _ bindings: [SQLValue] = []) throws -> Int64? {
    let statement = try statement(sql)
    defer { statement.reset() }
    try statement.bind(bindings)
    return try statement.step() ? sqlite3_column_int64(statement.handle, 0) : nil
  }

  /// The texts in the first column of all rows; NULL is left out.
  func texts(_ sql: String, _ bindings: [SQLValue] = []) throws -> [String] {
    let statement = try statement(sql)
    defer { statement.reset() }
    try statement.bind(bindings)
    var texts: [String] = []
    while try statement.step() {
      if let text = sqlite3_column_text(statement.handle, 0) { texts.append(String(cString: text)) }
    }
    return texts
  }

  /// The text in the first column of the first row.
  func text(_ sql: String, _ bindings: [SQLValue] = []) throws -> String? {
    let statement = try statement(sql)
    defer { statement.reset() }
    try statement.bind(bindings)
    guard try statement.step(), let text = sqlite3_column_text(statement.handle, 0) else {
      return nil
    }
    return String(cString: text)
  }
}
