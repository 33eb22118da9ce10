import Foundation
import SwiftDataCore

/// The location of a database.
enum StoreLocation: Sendable {
  /// A file, at the path without symbolic links: SQLite keeps the log beside the file itself, as are all other files
  /// that belong to it.
  case file(URL)
  /// In memory, shared by this process's connections under a name.
  case memory(name: String)

  var isInMemory: Bool { if case .memory = self { true } else { false } }

  /// The path for messages; empty in memory.
  var path: String { if case .file(let url) = self { url.path } else { "" } }

  /// The name that SQLite opens. The `memdb` VFS lets several connections share a database in memory with the same
  /// isolation as a file (https://sqlite.org/src/file/src/memdb.c).
  var sqliteName: String {
    switch self {
    case .file(let url): url.path
    case .memory(let name): "file:/\(name)?vfs=memdb"
    }
  }

  /// The name under which SQLite opens a file that no process writes, without a lock, a log or an index of it
  /// (https://sqlite.org/uri.html, `immutable`).
  var immutableName: String {
    let escaped = path.utf8.map { byte in
      Self.unescaped.contains(byte)
        ? String(UnicodeScalar(byte))
        : "%" + String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }
    return "file:\(escaped.joined())?immutable=1"
  }

  private static let unescaped = Set(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-".utf8)

  /// The longest suffix of the files that SQLite keeps beside a database.
  private static let longestEnding = "-journal".utf8.count
  /// `NAME_MAX` of the usual file systems, in bytes.
  private static let longestName = 255

  /// The location of a file.
  ///
  /// - Parameter url: May lead through symbolic links, and to a missing file.
  /// - Throws: ``StoreError`` for a URL that names no file, or one beside which SQLite couldn't keep its log.
  static func resolving(_ url: URL) throws -> StoreLocation {
    func refusal(_ explanation: String) -> StoreError {
      StoreError(.cannotOpen, path: url.path, explanation: explanation)
    }
    guard url.isFileURL || url.scheme == nil else {
      throw refusal("its URL isn't that of a file; use one that begins with file:")
    }
    let path = url.path
    // Foundation leaves bytes that aren't valid in a path percent-encoded.
    guard !path.isEmpty, !path.utf8.contains(0), !url.path(percentEncoded: true).contains("%00")
    else {
      throw refusal("its URL names no file: the path is empty, no UTF-8, or contains U+0000")
    }
    let resolved = resolved(path)
    let name = parts(resolved).name
    guard name.utf8.count + longestEnding <= longestName else {
      throw refusal(
        "its name has \(name.utf8.count) bytes; SQLite's files beside it leave"
          + " \(longestName - longestEnding)")
    }
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: resolved, isDirectory: &isFolder), isFolder.boolValue
    {
      throw refusal("it is a folder; name a file in it")
    }
    return .file(URL(filePath: resolved, directoryHint: .notDirectory))
  }

  /// A path without symbolic links. Its target may be missing.
  static func resolved(_ path: String) -> String {
    var path = path
    // The number of links that systems follow in a path.
    for _ in 0..<40 {
      if let real = real(path) { return real }
      let (folder, name) = parts(path)
      guard let target = target(ofLink: path) else {
        guard let folder = real(folder) else { return path }
        return joined(folder, name)
      }
      path = target.hasPrefix("/") ? target : joined(folder, target)
    }
    return path
  }

  /// The folder of a store's other files, beside its file. Its name is derived from the path, because Foundation drops
  /// a byte order mark from the last component: two stores would share a folder, and each would remove the other's
  /// values.
  static func supportFolder(of file: URL) -> URL {
    let (folder, name) = parts(file.path)
    return URL(filePath: joined(folder, ".\(name)_SUPPORT"), directoryHint: .isDirectory)
  }

  /// The folder and the last component of a path. Foundation's own method ends the process for a path without a folder.
  static func parts(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
    let folder = String(path[..<slash])
    return (folder.isEmpty ? "/" : folder, String(path[path.utf8.index(after: slash)...]))
  }

  private static func joined(_ folder: String, _ name: String) -> String {
    folder.utf8.last == UInt8(ascii: "/") ? folder + name : folder + "/" + name
  }

  private static func real(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(validatingCString: found)
  }

  private static func target(ofLink path: String) -> String? {
    let longest = 4_096
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: longest) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      let count = readlink(path, start, longest)
      guard count > 0 else { return nil }
      return String(validating: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }
  }
}
