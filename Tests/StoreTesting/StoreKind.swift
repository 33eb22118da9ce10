import SwiftData
import SwiftDataCore
import TestSupport

/// The kind of store that tests use which aren't about files: `OPENSWIFTDATA_TEST_STORE` is `sqlite`, the default,
/// `postgresql`, `postgresql-pooled` for a server behind a pooler, which gives sessions to others between transactions,
/// or `postgresql-portable` for one that refuses what other servers with PostgreSQL's protocol lack.
package enum StoreKind: Sendable {
  case sqlite
  case postgresql

  /// The way to a server.
  package enum Access: Sendable { case direct, pooled, refusing }

  private static let choice: (kind: StoreKind, access: Access) = {
    switch TestEnvironment.text("OPENSWIFTDATA_TEST_STORE") {
    case nil, "sqlite": (.sqlite, .direct)
    case "postgresql": (.postgresql, .direct)
    case "postgresql-pooled": (.postgresql, .pooled)
    case "postgresql-portable": (.postgresql, .refusing)
    case .some(let name):
      fatalError(
        "OPENSWIFTDATA_TEST_STORE is \(name), neither sqlite, postgresql, postgresql-pooled nor"
          + " postgresql-portable")
    }
  }()

  package static var tested: StoreKind { choice.kind }
  package static var access: Access { choice.access }
  /// Whether changes by programs that don't use this library are noticed.
  package static var noticesOthers: Bool { access != .refusing }

  /// The number of rounds of a random test: a sixth where each statement waits for a server, and as often as
  /// `TestEnvironment.times` says.
  package static func rounds<Number: BinaryInteger>(_ count: Number) -> Number {
    TestEnvironment.rounds(tested == .sqlite ? count : max(1, count / 6))
  }

  /// Returns the SQL for data.
  package func data(_ digits: String) -> String {
    switch self {
    case .sqlite: "x'\(digits)'"
    case .postgresql: "'\\x\(digits)'::bytea"
    }
  }

  /// Returns the SQL for the digits of a column with data.
  package func digits(of column: String) -> String {
    switch self {
    case .sqlite: "hex(\(column))"
    case .postgresql: "upper(encode(\(column), 'hex'))"
    }
  }

  /// Returns the number of a row; 0 where the numbers of rows depend on how they are written.
  package func numbered(_ identifier: PersistentIdentifier) -> Int64 {
    self == .sqlite ? identifier.rowID ?? 0 : 0
  }
}
