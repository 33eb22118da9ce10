import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that is only to be read, so that nothing may be made when it isn't there.
package enum ExistingFile {
  /// Looks whether a store is where it should be; nothing is opened or made.
  /// - Parameters:
  ///   - store: the store's file.
  ///   - remedy: the command that makes one, such as `quakes refresh`.
  /// - Throws: ``LocalAppError`` that says what is in the way.
  package static func requireStore(_ store: URL, madeBy remedy: String) throws(LocalAppError) {
    var facts = stat()
    guard stat(store.path, &facts) == 0 else {
      let code = errno
      // Below a folder or a file that doesn't lead there, there is no store either.
      guard [ENOENT, ENOTDIR].contains(code) else { throw cannotOpen(store, code) }
      throw LocalAppError(
        store.path,
        reason: "there is no store; is the path mistyped? `\(remedy)` makes a store")
    }
    guard facts.st_mode & S_IFMT != S_IFDIR else {
      throw LocalAppError(store.path, reason: "this is a folder, not a store")
    }
    guard access(store.path, R_OK) == 0 else { throw cannotOpen(store, errno) }
    // SQLite takes an empty file for an empty database, and would make one of it.
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
