import SwiftData
import SwiftDataCore
import Testing

@testable import SwiftDataSQLite

@Suite("Entities of a store") struct StoreEntitiesTests {
  private func entities(_ schema: Schema) throws -> StoreEntities {
    let plans = try EntityPlan.plans(of: schema.types)
    let attributes = try StoreAttributes(
      plans, key: nil, location: .memory(name: "entities"), isReadOnly: false)
    return StoreEntities(schema, plans, attributes, storeIdentifier: "store")
  }

  @Test("Statements by plan, and by the name of another plan of the entity") func statements()
    throws
  {
    let entities = try entities(Schema([Entry.self]))
    let plan = try #require(entities.plansByType[ObjectIdentifier(Entry.self)])
    let found = try #require(entities.statements(of: plan))
    #expect(found.plan === plan)
    let other = EntityPlan(
      name: "Entry", type: Entry.self, properties: [], columns: [], uniqueness: [], indices: [])
    #expect(entities.statements(of: other) === found)
    let unknown = EntityPlan(
      name: "Unknown", type: Entry.self, properties: [], columns: [], uniqueness: [], indices: [])
    #expect(entities.statements(of: unknown) == nil)
  }

  @Test("Identifiers of the store's rows") func origins() throws {
    let entities = try entities(Schema([Entry.self]))
    let origin = try #require(entities.origins["Entry"])
    let identifier = PersistentIdentifier(origin, rowID: 3)
    #expect(identifier.storeIdentifier == "store")
    #expect(identifier.entityName == "Entry")
    #expect(entities.origins["Unknown"] == nil)
  }
}
