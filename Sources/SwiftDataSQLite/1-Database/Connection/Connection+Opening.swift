import CSQLite
import Foundation
import SwiftDataCore

extension Connection {
  /// Opens a database.
  ///
  /// A file with a write-ahead log can't be read where nothing can be written, because the index of the log has to be
  /// created. Where there is no log, no index is needed, and the file is opened as immutable.
  ///
  /// - Parameters:
  ///   - asImmutable: Whether the file is opened as immutable, whatever lies beside it.
  ///   - fileSystem: The name of a registered SQLite VFS; nil for the default VFS.
  /// - Returns: The handle, and whether it reads without locks.
  static func open(
    _ location: StoreLocation, isReadOnly: Bool, creates: Bool, asImmutable: Bool,
    fileSystem: UnsafePointer<CChar>?
  ) throws -> (OpaquePointer, isImmutable: Bool) {
    let access: Int32 =
      if isReadOnly { SQLITE_OPEN_READONLY } else {
        SQLITE_OPEN_READWRITE | (creates || location.isInMemory ? SQLITE_OPEN_CREATE : 0)
      }
    let flags = access | (location.isInMemory ? SQLITE_OPEN_URI : 0)
    if asImmutable, isReadOnly, !location.isInMemory {
      return (try openImmutable(location, flags, fileSystem), true)
    }
    let handle = try open(location.sqliteName, flags, location.path, fileSystem)
    guard isReadOnly, !location.isInMemory else { return (handle, false) }
    let result = sqlite3_exec(handle, "PRAGMA schema_version", nil, nil, nil)
    guard [SQLITE_CANTOPEN, SQLITE_READONLY].contains(result & 0xFF) else { return (handle, false) }
    let error = StoreError.sqlite(result, handle, path: location.path)
    sqlite3_close_v2(handle)
    guard FileStatus(location.path) != nil else { throw error }
    let log = location.path + "-wal"
    guard (FileStatus(log)?.size ?? 0) == 0 else {
      throw StoreError(
        .cannotOpen, path: location.path,
        explanation:
          "its log \(log) wasn't written back into it, and can't be read where nothing can be written;"
          + " copy both to another folder, or open the store once so that it can be written"
          + " (\(error.explanation))", resultCode: error.resultCode)
    }
    return (try openImmutable(location, flags, fileSystem), true)
  }

  private static func openImmutable(
    _ location: StoreLocation, _ flags: Int32, _ fileSystem: UnsafePointer<CChar>?
  ) throws -> OpaquePointer {
    try open(location.immutableName, flags | SQLITE_OPEN_URI, location.path, fileSystem)
  }

  private static func open(
    _ name: String, _ flags: Int32, _ path: String, _ fileSystem: UnsafePointer<CChar>?
  ) throws -> OpaquePointer {
    try SQLiteLibrary.check(path: path)
    var opened: OpaquePointer?
    let result = sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX, fileSystem)
    guard result == SQLITE_OK, let opened else {
      let error = StoreError.sqlite(result, opened, path: path)
      sqlite3_close_v2(opened)
      throw explained(error, flags)
    }
    return opened
  }

  /// The error with the cause that SQLite doesn't tell: a file that is missing where none may be made.
  private static func explained(_ error: StoreError, _ flags: Int32) -> StoreError {
    guard error.code == .cannotOpen, flags & SQLITE_OPEN_READONLY != 0, !error.path.isEmpty,
      FileStatus(error.path) == nil,
      FileStatus(URL(filePath: error.path).deletingLastPathComponent().path) != nil
    else { return error }
    return StoreError(
      error.code, path: error.path,
      explanation: "it doesn't exist, and isn't made where nothing may be saved;"
        + " open it once with allowsSave: true", resultCode: error.resultCode)
  }

  /// Whether the path no longer leads to the file that is open.
  var hasMoved: Bool {
    var answer: Int32 = 0
    let result = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &answer)
    return result == SQLITE_OK && answer != 0
  }
}
