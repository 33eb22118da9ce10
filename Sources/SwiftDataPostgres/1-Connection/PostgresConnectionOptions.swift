import SwiftDataCore

/// The settings with which connections are opened.
package struct PostgresConnectionOptions: Sendable {
  package var url: PostgresURL
  /// Returns the password; nil for that of the URL or of libpq's password file.
  package var password: (@Sendable () throws -> String)?
  /// The seconds that opening a connection may take with each host of the URL.
  package var connectTimeout: Double = 10
  /// The seconds that the server works on one statement; 0 for any time.
  package var statementTimeout: Double = 30
  /// The seconds that the server keeps a transaction whose client sends nothing; 0 for any time.
  package var idleTransactionTimeout: Double = 60
  /// The name of the program in the server's list of activities.
  package var applicationName: String?
  /// Whether a server is enough that may only be read.
  package var isReadOnly = false
  package var preparation = Preparation.automatic
  /// Whether transactions that write are marked as those of this library, so that triggers don't take their changes for
  /// those of other programs.
  package var marksWrites = false

  /// The use of named statements, which the server plans once a connection.
  package enum Preparation: Sendable {
    /// They are used unless a pooler lies between this process and the server.
    case automatic
    case always
    case never
  }

  package init(url: PostgresURL) { self.url = url }

  /// libpq's keywords and values (https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-PARAMKEYWORDS). Those of
  /// the URL come before the defaults here.
  func parameters() throws -> [String: String] {
    let defaults = [
      "fallback_application_name": applicationName ?? "OpenSwiftData",
      "target_session_attrs": isReadOnly ? "any" : "read-write",
      "keepalives_idle": "30", "keepalives_interval": "10", "keepalives_count": "3",
      "tcp_user_timeout": "30000",
    ]
    var all = defaults.merging(url.parameters(password: try password?())) { $1 }
    all["client_encoding"] = "UTF8"
    return all
  }

  /// The calls that make the settings of a session which belongs to this process alone.
  var sessionSettings: String {
    "set_config('statement_timeout', '\(Self.milliseconds(statementTimeout))', false),"
      + " set_config('idle_in_transaction_session_timeout',"
      + " '\(Self.milliseconds(idleTransactionTimeout))', false)"
      + (marksWrites ? ", set_config('osd.own', '1', false)" : "")
  }

  /// The same for one transaction, for sessions that a pooler gives to others.
  func transactionSettings(isWriting: Bool) -> [String] {
    [
      "SET LOCAL statement_timeout = \(Self.milliseconds(statementTimeout))",
      "SET LOCAL idle_in_transaction_session_timeout = \(Self.milliseconds(idleTransactionTimeout))",
    ] + (marksWrites && isWriting ? ["SET LOCAL \(Self.mark)"] : [])
  }

  /// The setting that marks a session or a transaction of this library.
  private static let mark = "\"osd.own\" = '1'"

  /// A time in the server's unit, which has 31 bits.
  static func milliseconds(_ seconds: Double) -> Int {
    guard seconds > 0 else { return 0 }
    return Int(min((seconds * 1000).rounded(.up), Double(Int32.max)))
  }
}
