import StoreTesting
import SwiftData
import SwiftDataSync
import Testing

@Model final class Train {
  @Attribute(.unique) var number: Int
  @Relationship(deleteRule: .cascade, inverse: \Wagon.train) var wagons: [Wagon] = []

  init(_ number: Int) { self.number = number }
}

/// Isn't synchronized.
@Model final class Wagon {
  var train: Train?
  @Relationship(deleteRule: .deny, inverse: \Parcel.wagon) var parcels: [Parcel] = []

  init(_ train: Train?) { self.train = train }
}

/// Isn't synchronized, and no wagon with one can be deleted.
@Model final class Parcel {
  var wagon: Wagon?

  init(_ wagon: Wagon) { self.wagon = wagon }
}

@Model final class Depot {
  @Attribute(.unique) var number: Int
  /// A depot's deletion deletes its parcels.
  @Relationship(deleteRule: .cascade, inverse: nil) var parcels: [Parcel] = []

  init(_ number: Int) { self.number = number }
}

/// A yard's deletion deletes its carts.
@Model final class Yard {
  @Attribute(.unique) var number: Int
  @Relationship(deleteRule: .cascade, inverse: \Cart.yard) var carts: [Cart] = []

  init(_ number: Int) { self.number = number }
}

/// No siding with a cart can be deleted.
@Model final class Siding {
  @Attribute(.unique) var number: Int
  @Relationship(deleteRule: .deny, inverse: \Cart.siding) var carts: [Cart] = []

  init(_ number: Int) { self.number = number }
}

@Model final class Cart {
  @Attribute(.unique) var number: Int
  var yard: Yard?
  var siding: Siding?

  init(_ number: Int) { self.number = number }
}

@Suite("A deletion that rows of a class that isn't synchronized prevent")
struct HiddenGuardTests {
  private let types: [any PersistentModel.Type] = [
    Train.self, Wagon.self, Parcel.self, Depot.self,
  ]
  private let models = [
    SyncedModel(Train.self, key: \.number),
    SyncedModel(Depot.self, key: \.number, excluding: [\.parcels]),
  ]
  private let central: ModelContainer
  private let server: SyncServer
  private let train = SyncObjectID("Train", "1")

  init() throws {
    central = try Peer.container(types)
    server = try SyncServer(central, models: models, rules: .everyoneSeesEverything)
  }

  /// Inserts a train with a loaded wagon, and a depot.
  private func load(_ context: ModelContext, isFromDepot: Bool = false) throws {
    let trains = try context.fetch(FetchDescriptor<Train>())
    let train = trains.first ?? Train(1)
    if trains.isEmpty { context.insert(train) }
    let wagon = Wagon(train)
    context.insert(wagon)
    let parcel = Parcel(wagon)
    context.insert(parcel)
    let depot = Depot(1)
    context.insert(depot)
    if isFromDepot { depot.parcels = [parcel] }
    try context.save()
  }

  private func push(_ objects: [SyncObjectID]) async throws -> [SyncOutcome?] {
    let page = try await server.pull(after: nil, user: "ann")
    let changes = objects.map { object in
      SyncChange(
        id: "\(object)", object: object, content: .delete,
        baseVersion: page.changes.first { $0.object == object }?.version ?? 0)
    }
    let outcomes = try await server.push(changes, client: "c", user: "ann")
    return changes.map { outcomes[$0.id] }
  }

  @Test("is refused by the server, alone") func server() async throws {
    try load(ModelContext(central))
    let outcomes = try await push([train, SyncObjectID("Depot", "1")])
    guard case .rejected(let rejection) = outcomes[0], case .accepted = outcomes[1] else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(rejection.code == "denied")
    let context = ModelContext(central)
    #expect(try context.fetchCount(FetchDescriptor<Train>()) == 1)
    #expect(try context.fetchCount(FetchDescriptor<Depot>()) == 0)
  }

  @Test("is accepted with one that deletes these rows") func together() async throws {
    try load(ModelContext(central), isFromDepot: true)
    let outcomes = try await push([train, SyncObjectID("Depot", "1")])
    guard case .accepted = outcomes[0], case .accepted = outcomes[1] else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(try ModelContext(central).fetchCount(FetchDescriptor<Wagon>()) == 0)
  }

  @Test("waits at a client, and the rest of its page arrives") func client() async throws {
    let there = ModelContext(central)
    there.insert(Train(1))
    try there.save()
    let peer = try Peer(server, types, models)
    try await peer.engine.sync()
    try peer.edit { try load($0) }
    try await peer.engine.sync()
    try there.delete(model: Train.self)
    there.insert(Train(2))
    try there.save()
    try await peer.engine.sync()
    #expect(try peer.all(Train.self).map(\.number).sorted() == [1, 2])
    guard case .quarantined(let quarantine) = try await peer.engine.status(of: train) else {
      Issue.record("the deletion doesn't wait")
      return
    }
    #expect(quarantine.reason == .denied(by: SyncObjectID("Parcel", "")))
    // Without the parcel, the train is deleted at the next attempt.
    try peer.edit { try $0.delete(model: Parcel.self) }
    try await peer.engine.sync()
    #expect(try peer.all(Train.self).map(\.number) == [2])
  }

  @Test("is refused when an object that prevents it leaves a deleted one in the same push")
  func moved() async throws {
    let central = try Peer.container([Yard.self, Siding.self, Cart.self])
    let server = try SyncServer(
      central,
      models: [
        SyncedModel(Yard.self, key: \.number), SyncedModel(Siding.self, key: \.number),
        SyncedModel(Cart.self, key: \.number),
      ], rules: .everyoneSeesEverything)
    let context = ModelContext(central)
    let (yard, siding, cart) = (Yard(1), Siding(1), Cart(1))
    for model in [yard, siding, cart] as [any PersistentModel] { context.insert(model) }
    cart.yard = yard
    cart.siding = siding
    try context.save()
    let page = try await server.pull(after: nil, user: "ann")
    func change(_ entity: String, _ content: SyncChange.Content) throws -> SyncChange {
      let object = SyncObjectID(entity, "1")
      let version = try #require(page.changes.first { $0.object == object }?.version)
      return SyncChange(id: entity, object: object, content: content, baseVersion: version)
    }
    let stays = try change(
      "Cart", .put(["number": .integer(1), "yard": .null, "siding": .text("1")]))
    let outcomes = try await server.push(
      [stays, change("Yard", .delete), change("Siding", .delete)], client: "c", user: "ann")
    guard case .accepted = outcomes["Cart"], case .accepted = outcomes["Yard"],
      case .rejected(let rejection) = outcomes["Siding"]
    else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(rejection.code == "denied")
    #expect(try ModelContext(central).fetchCount(FetchDescriptor<Cart>()) == 1)
  }
}
