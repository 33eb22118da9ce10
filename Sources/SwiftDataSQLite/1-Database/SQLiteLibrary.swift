import CSQLite
import SwiftDataCore

/// The needs of stores for the SQLite that the program was linked with.
enum SQLiteLibrary {
  /// The oldest version that Deploying.md names.
  static let minimumVersion: Int32 = 3_037_000

  /// An option with which SQLite has to be compiled for some properties.
  enum Module: String {
    case fts5, rtree

    fileprivate var need: String {
      switch self {
      case .fts5: "a property with .spotlight needs SQLITE_ENABLE_FTS5"
      case .rtree: "#Index(.rtree) needs SQLITE_ENABLE_RTREE"
      }
    }
  }

  private static let found = problem(
    version: sqlite3_libversion_number(), threadSafety: sqlite3_threadsafe())

  /// - Throws: ``StoreError`` with the code `unsuitableLibrary` when no store can be opened with this SQLite.
  static func check(path: String) throws {
    if let found { throw error(path, found) }
  }

  /// The reason for which no store can be opened with a SQLite; nil when there is none.
  /// - Parameters:
  ///   - version: three digits for each part but the first, as `sqlite3_libversion_number` gives it.
  ///   - threadSafety: the value of `SQLITE_THREADSAFE`.
  static func problem(version: Int32, threadSafety: Int32) -> String? {
    guard version >= minimumVersion else { return "version 3.37 or newer is needed" }
    guard threadSafety != 0 else { return "it was compiled with SQLITE_THREADSAFE=0" }
    return nil
  }

  /// - Throws: ``StoreError`` with the code `unsuitableLibrary` when SQLite lacks one of the modules.
  static func check(_ modules: [Module], on connection: Connection) throws {
    for module in modules {
      let count = try connection.integer(
        "SELECT count(*) FROM pragma_module_list WHERE name = '\(module.rawValue)'")
      if count == 0 {
        throw error(connection.path, "\(module.need), without which it was compiled")
      }
    }
  }

  private static func error(_ path: String, _ reason: String) -> StoreError {
    let version = String(cString: sqlite3_libversion())
    return StoreError(
      .unsuitableLibrary, path: path,
      explanation: "the program uses SQLite \(version): \(reason); link it with another one,"
        + " see Deploying.md")
  }
}
