import SwiftDataCore
import SwiftDataSQL

extension StepChecks {
  /// - Parameter address: The store, for errors.
  init(
    _ step: SchemaStep, plans: [EntityPlan], cipher: StoreCipher, address: String,
    on connection: PostgresConnection
  ) {
    self.init(
      step, plans: plans, cipher: cipher.cipher, path: address,
      open: { plan, cells, body in
        guard let cipher = cipher[plan] else { return body(cells) }
        return try cipher.open(cells, address: address, body)
      }
    ) { query, kinds, body in
      try connection.forEachRow(
        of: PostgresCommand(PostgresStatementText.finished(query)), kinds: [nil] + kinds
      ) { try body($0[0].bits, $0.dropFirst()) }
    }
  }
}
