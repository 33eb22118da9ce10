import Foundation

/// Where a database is.
enum StoreLocation: Sendable {
  case file(URL)
  /// In memory, shared by this process's connections under a name.
  case memory(name: String)

  var isInMemory: Bool { if case .memory = self { true } else { false } }

  /// The path for messages; empty in memory.
  var path: String { if case .file(let url) = self { url.path } else { "" } }

  /// The name that SQLite opens. The `memdb` file system lets several connections share a database in
  /// memory with the same isolation as a file (https://sqlite.org/src/file/src/memdb.c).
  var sqliteName: String {
    switch self {
    case .file(let url): url.path
    case .memory(let name): "file:/\(name)?vfs=memdb"
    }
  }
}
