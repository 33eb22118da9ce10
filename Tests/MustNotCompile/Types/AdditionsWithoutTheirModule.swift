import SwiftData

@Model final class Buoy {
  var depth: Double
  init(depth: Double) { self.depth = depth }
}

func additions(_ context: ModelContext, _ container: ModelContainer) throws {
  _ = try context.sum(of: \Buoy.depth)
  _ = try context.explain(FetchDescriptor<Buoy>())
  _ = try context.fetch(Buoy.self, sql: "SELECT _id FROM Buoy")
  _ = container.executedStatementCount
  try container.batchDelete(Buoy.self)
  _ = try BatchUpsert<Buoy>(container)
}
