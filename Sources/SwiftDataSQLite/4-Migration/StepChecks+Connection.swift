import SwiftDataCore
import SwiftDataSQL

extension StepChecks {
  init(
    _ step: SchemaStep, plans: [EntityPlan], attributes: StoreAttributes, on connection: Connection
  ) {
    self.init(
      step, plans: plans, cipher: attributes.cipher, path: connection.path,
      open: { plan, cells, body in
        guard let codec = attributes.codec(of: plan) else { return body(cells) }
        return try codec.open(cells, body)
      }
    ) { query, _, body in
      let statement = try Statement(query, on: connection)
      defer { statement.reset() }
      while try statement.step() { try body(statement.rowID(), statement.row(from: 0).dropFirst()) }
    }
  }
}
