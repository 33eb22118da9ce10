import Foundation
import SwiftData
import SwiftDataSync
import Testing

@Model class Animal {
  @Attribute(.unique) var tag: String
  var name: String
  var keeper: Keeper?

  init(_ tag: String, name: String = "", keeper: Keeper? = nil) {
    self.tag = tag
    self.name = name
    self.keeper = keeper
  }
}

@Model final class Dog: Animal {
  var tricks: [String] = []

  init(_ tag: String, tricks: [String], keeper: Keeper? = nil) {
    self.tricks = tricks
    super.init(tag, name: "dog", keeper: keeper)
  }
}

@Model final class Cat: Animal {
  var lives: Int = 9

  override init(_ tag: String, name: String = "", keeper: Keeper? = nil) {
    super.init(tag, name: name, keeper: keeper)
  }
}

@Model final class Keeper {
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .cascade, inverse: \Animal.keeper) var animals: [Animal] = []
  @Relationship(inverse: nil) var favourite: Animal?
  @Relationship(.ordered, inverse: nil) var walks: [Animal] = []

  init(_ name: String) { self.name = name }
}

@Suite struct FamilyTests {
  private let types: [any PersistentModel.Type] = [
    Animal.self, Dog.self, Cat.self, Keeper.self,
  ]
  private let all = [
    SyncedModel(Animal.self, key: \.tag), SyncedModel(Dog.self, key: \.tag),
    SyncedModel(Cat.self, key: \.tag), SyncedModel(Keeper.self, key: \.name),
  ]
  private let withoutCats = [
    SyncedModel(Dog.self, key: \.tag), SyncedModel(Keeper.self, key: \.name),
  ]

  private func server(_ rules: SyncServerRules = .everyoneSeesEverything) throws -> SyncServer {
    try SyncServer(try Peer.container(types), models: all, rules: rules)
  }

  private func peer(_ server: SyncServer, limit: Int = 1_000) throws -> Peer {
    try Peer(server, types, all, limit: limit)
  }

  private func keeper(_ peer: Peer) throws -> Keeper {
    try #require(try peer.all(Keeper.self).first)
  }

  @Test func eachModelIsOfItsOwnClassOnBothSides() async throws {
    let server = try server()
    let (ann, bob) = (try peer(server), try peer(server))
    try ann.edit { context in
      let keeper = Keeper("k")
      let dog = Dog("d", tricks: ["sit"], keeper: keeper)
      let cat = Cat("c", name: "cat", keeper: keeper)
      for model in [Animal("a", keeper: keeper), dog, cat] { context.insert(model) }
      keeper.favourite = cat
      keeper.walks = [dog, cat]
    }
    try await ann.engine.sync()
    let sent = ann.line.pushes.flatMap(\.self)
    #expect(
      Set(sent.map(\.object)) == [
        SyncObjectID("Animal", "a"), SyncObjectID("Dog", "d"), SyncObjectID("Cat", "c"),
        SyncObjectID("Keeper", "k"),
      ])
    #expect(ann.sent("Animal")?.keys.sorted() == ["keeper", "name", "tag"])
    #expect(ann.sent("Dog")?.keys.sorted() == ["keeper", "name", "tag", "tricks"])
    #expect(ann.sent("Keeper")?["favourite"] == .text("c"))
    try await bob.engine.sync()
    #expect(try bob.all(Dog.self).map(\.tricks) == [["sit"]])
    #expect(try bob.all(Dog.self).first?.name == "dog")
    #expect(try bob.all(Cat.self).map(\.lives) == [9])
    let keeper = try keeper(bob)
    #expect(keeper.animals.map(\.tag).sorted() == ["a", "c", "d"])
    #expect(keeper.favourite is Cat)
    #expect(keeper.walks.map(\.tag) == ["d", "c"])
    #expect(try await bob.engine.unsynced().isEmpty)
    let dog = try #require(try bob.all(Dog.self).first)
    #expect(try await bob.engine.status(of: dog.persistentModelID).isSynced)
  }

  @Test func editsAndDeletionsAreThoseOfTheModelsOwnClass() async throws {
    let server = try server()
    let (ann, bob) = (try peer(server), try peer(server))
    try ann.edit { context in
      for animal in [Animal("a"), Dog("d", tricks: []), Cat("c")] { context.insert(animal) }
    }
    try await ann.engine.sync()
    try await bob.engine.sync()
    // Edited through the superclass, and with a row ID that another class reuses.
    try bob.edit { context in
      for animal in try context.fetch(FetchDescriptor<Animal>()) { animal.name = "renamed" }
    }
    try bob.edit { try $0.delete(model: Animal.self, where: #Predicate { $0.tag == "c" }) }
    try bob.edit { $0.insert(Dog("e", tricks: ["roll"])) }
    try await bob.engine.sync()
    #expect(
      Set(bob.line.pushes.flatMap(\.self).map(\.object)) == [
        SyncObjectID("Animal", "a"), SyncObjectID("Dog", "d"), SyncObjectID("Cat", "c"),
        SyncObjectID("Dog", "e"),
      ])
    try await ann.engine.sync()
    #expect(try ann.all(Animal.self).map(\.tag).sorted() == ["a", "d", "e"])
    #expect(try ann.all(Dog.self).map(\.name).sorted() == ["dog", "renamed"])
    #expect(try ann.all(Cat.self).isEmpty)
  }

  @Test func referencesToASuperclassWaitForWhicheverClassComes() async throws {
    let server = try server()
    let ann = try peer(server)
    try ann.edit { context in
      let keeper = Keeper("k")
      context.insert(keeper)
      let dog = Dog("d", tricks: [], keeper: keeper)
      keeper.favourite = dog
      keeper.walks = [Cat("c"), dog]
    }
    try await ann.engine.sync()
    for model in ["Dog", "Cat"] {
      try ann.edit { context in
        for animal in try context.fetch(FetchDescriptor<Animal>()) { animal.name = model }
      }
      try await ann.engine.sync()
    }
    let bob = try peer(server, limit: 1)
    try await bob.engine.sync()
    #expect(try keeper(bob).favourite is Dog)
    #expect(try keeper(bob).walks.map(\.tag) == ["c", "d"])
    #expect(try await bob.engine.unsynced().isEmpty)
  }

  @Test func theServersKeysReachReferencesToASuperclass() async throws {
    let server = try server(
      SyncServerRules(
        scope: { _, _ in nil },
        assignKey: { _, object, _ in
          object.entity == "Dog" && object.key == "new" ? "dog 1" : nil
        }))
    let ann = try peer(server)
    try ann.edit { context in
      let keeper = Keeper("k")
      context.insert(keeper)
      keeper.favourite = Dog("new", tricks: [])
      keeper.walks = [Cat("c")] + [keeper.favourite].compactMap { $0 }
    }
    try await ann.engine.sync()
    #expect(try keeper(ann).favourite?.tag == "dog 1")
    #expect(try await ann.engine.unsynced().isEmpty)
    let bob = try peer(server)
    try await bob.engine.sync()
    #expect(try keeper(bob).favourite?.tag == "dog 1")
    #expect(try keeper(bob).walks.map(\.tag) == ["c", "dog 1"])
  }

  @Test func aCascadeThatTakesEditsOfASubclassAlongIsAConflict() async throws {
    let server = try server()
    let (ann, bob) = (try peer(server), try peer(server))
    try ann.edit { $0.insert(Keeper("k")) }
    try await ann.engine.sync()
    try await bob.engine.sync()
    try ann.edit { try $0.delete(model: Keeper.self) }
    try await ann.engine.sync()
    bob.line.fail(SyncFailure(.refused, "not now"), pullToo: false)
    try bob.edit { context in
      context.insert(
        Dog("d", tricks: [], keeper: try context.fetch(FetchDescriptor<Keeper>()).first))
    }
    try await bob.engine.sync()
    bob.line.fail(nil)
    try await bob.engine.sync()
    #expect(try bob.all(Animal.self).isEmpty)
    #expect(
      try await bob.engine.conflicts().map(\.conflict.object) == [SyncObjectID("Dog", "d")])
  }

  @Test func aClassThatIsNotNamedIsLeftAlone() async throws {
    let server = try SyncServer(
      try Peer.container(types), models: withoutCats, rules: .everyoneSeesEverything)
    let ann = try Peer(server, types, withoutCats)
    let bob = try Peer(server, types, withoutCats)
    try ann.edit { context in
      let keeper = Keeper("k")
      let (dog, cat) = (Dog("d", tricks: []), Cat("c"))
      for model in [Animal("a"), dog, cat] { context.insert(model) }
      context.insert(keeper)
      keeper.favourite = cat
      keeper.walks = [cat, dog]
    }
    try await ann.engine.sync()
    #expect(
      Set(ann.line.pushes.flatMap(\.self).map(\.object)) == [
        SyncObjectID("Dog", "d"), SyncObjectID("Keeper", "k"),
      ])
    try await bob.engine.sync()
    #expect(try bob.all(Animal.self).map(\.tag) == ["d"])
    // Other changes of the server don't affect relationships that it doesn't have.
    try bob.edit { context in
      for keeper in try context.fetch(FetchDescriptor<Keeper>()) { keeper.walks = [] }
    }
    try await bob.engine.sync()
    try await ann.engine.sync()
    #expect(try keeper(ann).favourite?.tag == "c")
    #expect(try keeper(ann).walks.map(\.tag) == ["c"])
    #expect(try ann.all(Animal.self).count == 3)
    #expect(try await ann.engine.unsynced().isEmpty)
  }

  @Test func aFamilyHasOneKey() throws {
    let models = [SyncedModel(Dog.self, key: \.tag), SyncedModel(Leopard.self, key: \.chip)]
    let types: [any PersistentModel.Type] = [Animal.self, Dog.self, Leopard.self, Keeper.self]
    #expect(throws: SyncError.self) {
      try SyncServer(try Peer.container(types), models: models, rules: .everyoneSeesEverything)
    }
  }
}

@Model final class Leopard: Animal {
  @Attribute(.unique) var chip: Int = 0

  override init(_ tag: String, name: String = "", keeper: Keeper? = nil) {
    super.init(tag, name: name, keeper: keeper)
  }
}
