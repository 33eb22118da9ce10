import Testing

@testable import PostgresTesting

extension Trait where Self == ConditionTrait {
  /// Skips a suite where no PostgreSQL server can be started.
  static var database: Self {
    if let absence = PostgresServer.absence { print("Tests on a server are skipped: \(absence)") }
    return .enabled(if: PostgresServer.absence == nil, "needs a PostgreSQL server")
  }
}
