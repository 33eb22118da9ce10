import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Checks for files that are only to be read, so that no missing file is created.
package enum ExistingFile {
  /// Checks that a store exists; nothing is opened or created.
  /// - Parameters:
  ///   - store: The store's file.
  ///   - remedy: The command that creates a store, such as `quakes refresh`.
  /// - Throws: ``LocalAppError`` that describes the obstacle.
  package static func requireStore(_ store: URL, madeBy remedy: String) throws(LocalAppError) {
    var facts = stat()
    guard stat(store.path, &facts) == 0 else {
      let code = errno
      // If a part of the path doesn't exist or isn't a folder, there is no store either.
      guard [ENOENT, ENOTDIR].contains(code) else { throw cannotOpen(store, code) }
      throw LocalAppError(
        store.path,
        reason: "there is no store; is the path mistyped? `\(remedy)` makes a store")
    }
    guard facts.st_mode & S_IFMT != S_IFDIR else {
      throw LocalAppError(store.path, reason: "this is a folder, not a store")
    }
    guard access(store.path, R_OK) == 0 else { throw cannotOpen(store, errno) }
    // SQLite takes an empty file for an empty database, and would write one to it.
    guard facts.st_mode & S_IFMT != S_IFREG || facts.st_size > 0 else {
      throw LocalAppError(
        store.path, reason: "the file is empty, not a store; `\(remedy)` makes a store of it")
    }
  }

  private static func cannotOpen(_ store: URL, _ code: Int32) -> LocalAppError {
    LocalAppError(
      store.path, reason: "the store cannot be opened: \(String(cString: strerror(code)))")
  }
}
