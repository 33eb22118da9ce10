import Foundation
import SwiftData
import SwiftDataPostgres

/// The location of a store.
public enum StoreLocation: Hashable, Sendable {
  /// The memory of this program.
  case memory
  /// A file.
  case file(URL)
  /// A database on a PostgreSQL server, which several servers of a page can share.
  case server(PostgresConfiguration)

  /// The schema of a database that is the store.
  static let schema = "quakes"

  /// Interprets a user's input: the address of a database, or the path of a file.
  /// - Throws: ``QuakesError`` for an address that cannot be read. It doesn't contain the address, which may have a
  ///   password.
  public init(_ text: String) throws {
    guard Self.isAddress(text) else {
      self = .file(URL(fileURLWithPath: text))
      return
    }
    let configuration = PostgresConfiguration(Self.schema, url: text)
    do { try configuration.validate() } catch {
      throw QuakesError(
        .invalidArgument, "the address of the store",
        reason:
          "it cannot be read; write it as postgresql://user@host:port/database, with special"
          + " characters in percent-encoding")
    }
    self = .server(configuration)
  }

  /// Whether a text names a server and not a file.
  private static func isAddress(_ text: String) -> Bool {
    let text = text.lowercased()
    return text.hasPrefix("postgresql:") || text.hasPrefix("postgres:")
  }
}

extension StoreLocation: CustomStringConvertible {
  /// The path, or the address without a password.
  public var description: String {
    switch self {
    case .memory: "the store in memory"
    case .file(let file): file.path
    case .server(let configuration): configuration.urlWithoutPasswords ?? "PostgreSQL"
    }
  }

  /// The reason for an error of the store, and its remedy.
  /// - Parameter isReadOnly: Whether the store was opened without the right to create it.
  func explanation(of error: any Error, isReadOnly: Bool) -> String {
    if isReadOnly, let error = error as? MigrationError, error.code == .readOnly {
      return "an earlier version made it; `quakes refresh` brings it up to date"
    }
    // The description of a file's error is no sentence.
    if let error = error as? CocoaError {
      let cause = error.underlying as? POSIXError
      return cause.map { String(cString: strerror($0.code.rawValue)) }
        ?? error.localizedDescription
    }
    guard let error = error as? StoreError else { return "\(error)" }
    // The path or address stands before the reason.
    guard case .server = self else { return error.explanation }
    switch error.sqlState {
    case "3D000": return error.explanation + "; `createdb \(database)` creates it"
    case nil where error.code == .cannotOpen && isReadOnly:
      return "there is none in this database; `quakes refresh` makes one"
    default: return error.explanation
    }
  }

  /// The name of the database in an address.
  private var database: String {
    // postgresql://user@host:port/database?host=/folder
    let path = description.split(separator: "?", maxSplits: 1).first ?? ""
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count > 3 && !parts[3].isEmpty ? String(parts[3]) : "quakes"
  }
}
