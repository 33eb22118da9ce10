import CPostgres
import SwiftDataCore

/// The address of a database, without its secrets wherever it is shown.
///
/// Texts have one of libpq's two forms (https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING).
package struct PostgresURL: Sendable, Hashable {
  /// libpq's keywords and their values, without secrets.
  package let settings: [String: String]
  private let secrets: [String: String]

  private static let secretKeywords: Set<String> = ["password", "sslpassword"]

  /// Parses an address.
  ///
  /// - Throws: ``StoreError/Code/cannotOpen``. The error doesn't contain the text, which may have a password.
  package init(_ text: String) throws {
    var message: UnsafeMutablePointer<CChar>?
    defer { PQfreemem(message) }
    guard let options = PQconninfoParse(text, &message) else {
      throw StoreError(
        .cannotOpen, path: "at PostgreSQL",
        explanation:
          "its URL can't be read; write it as postgresql://user@host:port/database, with special"
          + " characters in percent-encoding")
    }
    defer { PQconninfoFree(options) }
    var settings: [String: String] = [:]
    var secrets: [String: String] = [:]
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val {
        let name = String(cString: keyword)
        if Self.secretKeywords.contains(name) {
          secrets[name] = String(cString: value)
        } else {
          settings[name] = String(cString: value)
        }
      }
      option += 1
    }
    self.settings = settings
    self.secrets = secrets
  }

  /// All keywords and values, for libpq only.
  ///
  /// - Parameter password: A password in place of the address's own; nil for that one, or libpq's password file.
  func parameters(password: String?) -> [String: String] {
    var all = settings.merging(secrets) { first, _ in first }
    if let password { all["password"] = password }
    return all
  }

  /// Replaces the address's secrets in a text.
  func withoutSecrets(_ text: String) -> String {
    var text = text
    for secret in secrets.values where !secret.isEmpty {
      text = text.split(separator: secret, omittingEmptySubsequences: false)
        .joined(separator: "…")
    }
    return text
  }
}

extension PostgresURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The address with user, host, port and database.
  package var description: String {
    let host = settings["host"] ?? settings["hostaddr"] ?? ""
    let isSocket = host.isEmpty || host.hasPrefix("/")
    var text = "postgresql://"
    if let user = settings["user"] { text += user + "@" }
    if !isSocket { text += host }
    if let port = settings["port"] { text += ":" + port }
    text += "/" + (settings["dbname"] ?? "")
    if isSocket, !host.isEmpty { text += "?host=" + host }
    return text
  }

  package var debugDescription: String { description }

  package var customMirror: Mirror { Mirror(self, children: ["url": description]) }
}
