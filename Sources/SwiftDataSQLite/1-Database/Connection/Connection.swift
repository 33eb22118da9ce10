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
  @exclusivity(unchecked) private var statements = StatementCache()
  /// The prepared statements of reads within other reads, by depth, as far as they aren't in use.
  private var innerStatements: [StatementCache] = []
  /// The open transaction.
  var openTransaction = OpenTransaction()
  /// The commits that the connection has noticed, and its shared read transaction.
  var reading = ReadingState()
  /// Whether a statement waits for other writers, up to ten seconds.
  var waitsForWriters = true {
    didSet {
      waitsForWriters ? BusyHandler.install(on: handle) : BusyHandler.uninstall(on: handle)
    }
  }
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
  /// The write-ahead log.
  var log = LogState()
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
    statements.removeAll()
    for inner in innerStatements { inner.removeAll() }
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
  func statement(_ sql: String) throws -> Statement { try statements.statement(sql, on: self) }

  /// The prepared form of a text that is used repeatedly: found by its address, without hashing the text.
  func statement(_ text: StatementText) throws -> Statement {
    try statements.statement(text, on: self)
  }

  /// Runs `body`, a read within another one: with prepared statements of its own, because the other read may have
  /// bound values to a statement of the same text.
  func withOwnStatements<Result>(_ body: () throws -> Result) rethrows -> Result {
    let outer = statements
    statements = innerStatements.popLast() ?? StatementCache()
    defer {
      innerStatements.append(statements)
      statements = outer
    }
    return try body()
  }

  /// Whether a transaction is open, also that of a statement that hasn't ended.
  var isInTransaction: Bool { sqlite3_txn_state(handle, nil) != SQLITE_TXN_NONE }

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
