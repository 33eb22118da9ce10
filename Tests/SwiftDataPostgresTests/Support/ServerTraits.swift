import PostgresTesting
import Testing

extension Trait where Self == ConditionTrait {
  /// Skips a suite where no server can be started.
  static var server: Self {
    if let absence = PostgresServer.absence { print("Tests on a server are skipped: \(absence)") }
    return .enabled(if: PostgresServer.absence == nil, "needs a PostgreSQL server")
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips a suite where no pooler can be started.
  static var pooler: Self {
    .enabled(if: PostgresServer.hasPooler, "needs pgbouncer (apt-get install pgbouncer)")
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips a suite where no server with a certificate can be made.
  static var tls: Self {
    .enabled(if: PostgresServer.hasTLS, "needs openssl, and a server that was built with it")
  }
}
