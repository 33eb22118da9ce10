import Foundation
import SwiftData
import SwiftDataExtras
import Testing

/// A row that one context deletes comes back when another one, whose policy prefers its own edits, saves it. The links
/// that the deletion removed don't come back with it.
@Suite("Rows that come back after their deletion")
struct RestoredRowTests {
  enum Link: CaseIterable { case withoutInverse, withInverse }
  enum Deletion: CaseIterable { case ofTheModel, byPredicate, elsewhere, batch }
  enum Reading: CaseIterable { case merging, rollingBack, fetching }

  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try memoryContainer(Garage.self, Truck.self)
    context = ModelContext(container)
    let garage = Garage("a")
    garage.guarded = Truck(plate: "1", load: 1)
    garage.vehicles = [Truck(plate: "2", load: 1)]
    context.insert(garage)
    try context.save()
  }

  private func garage(in context: ModelContext) throws -> Garage {
    try #require(try context.fetch(FetchDescriptor<Garage>()).first)
  }

  private func truck(_ plate: String, in context: ModelContext) throws -> Truck {
    try #require(
      try context.fetch(FetchDescriptor<Truck>(predicate: #Predicate { $0.plate == plate })).first)
  }

  /// Whether the relationship leads somewhere.
  private func isLinked(_ link: Link, in context: ModelContext) throws -> Bool {
    switch link {
    case .withoutInverse: try garage(in: context).guarded != nil
    case .withInverse: try truck("2", in: context).garage != nil
    }
  }

  @Test(
    "don't bring back the links that led to them",
    arguments: Link.allCases.flatMap { link in
      Deletion.allCases.flatMap { deletion in Reading.allCases.map { (link, deletion, $0) } }
    }, [false, true])
  func links(_ variant: (link: Link, deletion: Deletion, reading: Reading), isRead: Bool) throws {
    let (link, deletion, reading) = variant
    let context = ModelContext(container)
    let restoring = ModelContext(container)
    restoring.mergePolicy = .propertyObjectTrump
    let (theirGarage, theirTruck) = (try garage(in: restoring), try truck("1", in: restoring))
    let (garage, truck) = (try garage(in: context), try truck("1", in: context))
    let owned = try self.truck("2", in: context)
    if isRead {
      #expect(garage.guarded === truck && owned.garage === garage)
      #expect(theirGarage.guarded === theirTruck)
    }
    // Edited before the deletion, so that the save brings the row back.
    switch link {
    case .withoutInverse: theirTruck.load = 9
    case .withInverse: theirGarage.street = "b"
    }
    try delete(link, by: deletion, in: context)
    try restoring.save()
    switch reading {
    case .merging: break
    case .rollingBack:
      context.insert(Garage("dropped"))
      context.rollback()
    case .fetching: _ = try context.fetch(FetchDescriptor<Vehicle>())
    }
    for context in [context, restoring] { context.processPendingChanges() }
    let fresh = ModelContext(container)
    #expect(try fresh.fetchCount(FetchDescriptor<Truck>()) == 2)
    #expect(try fresh.fetchCount(FetchDescriptor<Garage>()) == 1)
    let isStored = try isLinked(link, in: fresh)
    // The models as they are: a fetch would read their rows again.
    let isHeld =
      switch link {
      case .withoutInverse: garage.guarded != nil
      case .withInverse: owned.garage != nil
      }
    #expect(isHeld == isStored)
    #expect(try isLinked(link, in: restoring) == isStored)
    #expect(!isStored)
    withExtendedLifetime((truck, theirTruck)) {}
  }

  private func delete(_ link: Link, by deletion: Deletion, in context: ModelContext) throws {
    switch (deletion, link) {
    case (.ofTheModel, .withoutInverse): context.delete(try truck("1", in: context))
    case (.ofTheModel, .withInverse): context.delete(try garage(in: context))
    case (.byPredicate, .withoutInverse):
      try context.delete(model: Truck.self, where: #Predicate { $0.plate == "1" })
    case (.byPredicate, .withInverse): try context.delete(model: Garage.self)
    case (.elsewhere, _):
      let other = ModelContext(container)
      return try delete(link, by: .ofTheModel, in: other)
    case (.batch, .withoutInverse):
      try container.batchDelete(Truck.self, where: #Predicate { $0.plate == "1" })
    case (.batch, .withInverse): try container.batchDelete(Garage.self)
    }
    try context.save()
  }
}
