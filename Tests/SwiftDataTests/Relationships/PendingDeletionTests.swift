import SwiftData
import Testing

@Suite("Relationships during a pending deletion")
struct PendingDeletionTests {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try memoryContainer(Town.self)
    context = ModelContext(container)
  }

  func saved(_ towns: Town...) throws {
    for town in towns { context.insert(town) }
    try context.save()
  }

  func fresh<Model: PersistentModel>(_ type: Model.Type) throws -> [Model] {
    try ModelContext(container).fetch(FetchDescriptor<Model>())
  }

  @Test("a row id isn't given again when its row, the last one, was deleted")
  func rowIDs() throws {
    try saved(Town(key: 1), Town(key: 2))
    let second = try #require(
      try context.fetch(FetchDescriptor<Town>(predicate: #Predicate { $0.key == 2 })).first)
    let identifier = second.persistentModelID
    context.delete(second)
    let third = Town(key: 3)
    context.insert(third)
    try context.save()
    #expect(third.persistentModelID != identifier)
    context.delete(third)
    try context.save()
    let fourth = Town(key: 4)
    try saved(fourth)
    #expect(![identifier, third.persistentModelID].contains(fourth.persistentModelID))
    #expect(context.model(for: identifier).isDeleted)
  }

  @Test(
    "a model that another context deleted doesn't come back because the rule noAction left a key to it"
  )
  func deletedElsewhere() throws {
    let (town, thing) = (Town(key: 1), Thing(key: 2))
    town.loose = [thing]
    try saved(town)
    let held = try #require(thing.place)
    let other = ModelContext(container)
    for town in try other.fetch(FetchDescriptor<Town>()) { other.delete(town) }
    try other.save()
    context.delete(thing)
    #expect(try context.fetch(FetchDescriptor<Town>()).isEmpty)
    #expect(held.isDeleted)
    try context.save()
    #expect(try fresh(Town.self).isEmpty && fresh(Thing.self).isEmpty)
  }

  @Test("nor after the store was opened again")
  func rowIDsOnFile() throws {
    let store = try TemporaryStore()
    var identifiers: [PersistentIdentifier] = []
    for key in 0..<3 {
      let context = ModelContext(try store.container(Town.self))
      let town = Town(key: key)
      context.insert(town)
      try context.save()
      identifiers.append(town.persistentModelID)
      context.delete(town)
      try context.save()
    }
    #expect(Set(identifiers).count == 3)
  }

  @Test("a destination reassigned to its former value stays, though another model is deleted")
  func setAgain() throws {
    let town = Town(key: 1)
    context.insert(Claim(key: 2, town: town))
    try saved(town, Town(key: 3))
    let other = ModelContext(container)
    let towns = try other.fetch(FetchDescriptor<Town>(sortBy: [SortDescriptor(\.key)]))
    let claim = try #require(try other.fetch(FetchDescriptor<Claim>()).first)
    claim.town = towns[0]
    other.delete(towns[1])
    try other.save()
    #expect(try fresh(Claim.self).first?.town.key == 1)
  }

  @Test("models removed from a deleted one no longer deny its deletion")
  func leaving() throws {
    let (old, new) = (Town(key: 1), Town(key: 2))
    let claim = Claim(key: 3, town: old)
    context.insert(claim)
    try saved(old, new)
    context.delete(old)
    claim.town = new
    try context.save()
    #expect(try fresh(Town.self).map(\.key) == [2])
  }

  @Test("a deletion cascades to the present destinations, not to the stored ones")
  func cascadeAfterMove() throws {
    let town = Town(key: 1)
    let ticket = Ticket(key: 2, town: town)
    let (old, new) = (Thing(key: 3), Thing(key: 4))
    ticket.stub = old
    context.insert(ticket)
    context.insert(new)
    try saved(town)
    ticket.stub = new
    context.delete(ticket)
    try context.save()
    #expect(try fresh(Thing.self).map(\.key) == [3])
  }

  @Test("rollback brings a deleted model back into lists that were read meanwhile")
  func listReadMeanwhile() throws {
    let town = Town(key: 1)
    town.houses = [Thing(key: 2), Thing(key: 3)]
    try saved(town)
    let other = ModelContext(container)
    let thing = try #require(
      try other.fetch(FetchDescriptor<Thing>(predicate: #Predicate { $0.key == 3 })).first)
    other.delete(thing)
    let read = try #require(try other.fetch(FetchDescriptor<Town>()).first)
    #expect(read.houses.map(\.key) == [2])
    other.rollback()
    #expect(Set(read.houses.map(\.key)) == [2, 3])
  }

  @Test("rollback restores a link to a model that was deleted before the link was changed")
  func linkToDeleted() throws {
    let town = Town(key: 1)
    let (old, new) = (Thing(key: 2), Thing(key: 3))
    town.seen = old
    context.insert(new)
    try saved(town)
    context.delete(old)
    town.seen = new
    context.rollback()
    #expect(town.seen === old)
  }

  @Test("one-way links to a deleted model are removed by the save")
  func oneWay() throws {
    let town = Town(key: 1)
    let (stored, new) = (Thing(key: 2), Thing(key: 3))
    town.favourites = [stored]
    try saved(town)
    context.delete(stored)
    town.seen = new
    context.delete(new)
    try context.save()
    #expect(town.favourites.isEmpty)
    #expect(town.seen == nil)
  }

  @Test("appending a contained model doesn't prevent its removal")
  func appendedTwice() throws {
    let town = Town(key: 1)
    let thing = Thing(key: 2)
    context.insert(thing)
    try saved(town)
    thing.members = [town]
    town.guilds?.append(thing)
    thing.members = []
    try context.save()
    #expect(try fresh(Town.self).first?.guilds?.isEmpty == true)
  }

  @Test("a model with several owners keeps models added before its list was read")
  func commonDestination() throws {
    let (first, second, common) = (Town(key: 1), Town(key: 2), Town(key: 3))
    let before = Town(key: 0)
    context.insert(before)
    first.admires = [before, common]
    second.admires = [common]
    context.insert(Thing(key: 4))
    try context.save()
    context.insert(first)
    context.insert(second)
    try context.save()
    let other = ModelContext(container)
    let towns = try other.fetch(
      FetchDescriptor<Town>(
        predicate: #Predicate { $0.admires.count > 0 }, sortBy: [SortDescriptor(\.key)]))
    let shared = try #require(towns[0].admires.first { $0.key == 3 })
    let neighbour = try #require(towns[0].admires.first { $0.key == 0 })
    #expect(towns[1].admires.first === shared)
    let thing = try #require(try other.fetch(FetchDescriptor<Thing>()).first)
    thing.whole = shared
    #expect(neighbour.parts?.isEmpty == true)
    #expect(shared.parts?.map(\.key) == [4])
  }
}
