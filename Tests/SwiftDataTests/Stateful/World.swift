import Foundation
import SwiftData

/// The classes and relationships of the random steps, described so that generic code handles all of them.
struct World {
  /// A class.
  struct Kind {
    let name: String
    /// Whether an instance needs a town when it is created.
    let needsTown: Bool
    let make: (_ key: Int, _ town: Town?) -> (any Being)?
    let insert: (ModelContext, any Being) -> Void
    let delete: (ModelContext, any Being) -> Void
    let all: (ModelContext) throws -> [any Being]
    let count: (ModelContext) throws -> Int
    let find: (ModelContext, Int) throws -> (any Being)?
  }

  /// A relationship.
  struct Link {
    let name: String
    let owner: Int
    let destination: Int
    let isToMany: Bool
    /// Whether the destination may be nil.
    let isOptional: Bool
    let rule: Schema.Relationship.DeleteRule
    /// The position of the inverse relationship.
    var inverse: Int?
    let inverseName: String?
    let get: (any Being) -> [any Being]
    let set: (any Being, [any Being]) -> Void
  }

  static let town = 0
  static let thing = 1

  let kinds: [Kind]
  private(set) var links: [Link]
  /// The positions of the links of each kind.
  let linksOfKind: [[Int]]

  init() {
    kinds = [
      Self.kind("Town", make: { key, _ in Town(key: key) }) { key in #Predicate { $0.key == key } },
      Self.kind("Thing", make: { key, _ in Thing(key: key) }) { key in
        #Predicate { $0.key == key }
      },
      Self.kind(
        "Claim", needsTown: true, make: { key, town in town.map { Claim(key: key, town: $0) } }
      ) {
        key in #Predicate { $0.key == key }
      },
      Self.kind(
        "Ticket", needsTown: true, make: { key, town in town.map { Ticket(key: key, town: $0) } }
      ) { key in #Predicate { $0.key == key } },
    ]
    var links = Self.townLinks + Self.otherLinks
    for index in links.indices {
      let link = links[index]
      links[index].inverse = links.firstIndex { other in
        other.owner == link.destination && other.destination == link.owner
          && other.name == link.inverseName
      }
    }
    self.links = links
    linksOfKind = kinds.indices.map { kind in links.indices.filter { links[$0].owner == kind } }
  }

  static let types: [any PersistentModel.Type] = [Town.self, Thing.self, Claim.self, Ticket.self]

  private static func kind<T: Being>(
    _ name: String, needsTown: Bool = false, make: @escaping (Int, Town?) -> T?,
    _ predicate: @escaping (Int) -> Predicate<T>
  ) -> Kind {
    Kind(
      name: name, needsTown: needsTown, make: make,
      insert: { context, model in (model as? T).map { context.insert($0) } },
      delete: { context, model in (model as? T).map { context.delete($0) } },
      all: { try $0.fetch(FetchDescriptor<T>()) },
      count: { try $0.fetchCount(FetchDescriptor<T>()) },
      find: { context, key in
        try context.fetch(FetchDescriptor<T>(predicate: predicate(key))).first
      })
  }
}

// MARK: - Relationships

extension World {
  private static var townLinks: [Link] {
    [
      many("houses", \Town.houses, 1, inverse: "town"),
      optionalMany("parts", \Town.parts, 1, .cascade, inverse: "whole"),
      many("guarded", \Town.guarded, 1, .deny, inverse: "guardian"),
      many("loose", \Town.loose, 1, .noAction, inverse: "place"),
      one("mayor", \Town.mayor, 0, 1, inverse: "rules"),
      one("crest", \Town.crest, 0, 1, .cascade, inverse: "crowns"),
      many("tags", \Town.tags, 1, inverse: "tagged"),
      optionalMany("guilds", \Town.guilds, 1, .cascade, inverse: "members"),
      many("claims", \Town.claims, 2, .deny, inverse: "town"),
      many("tickets", \Town.tickets, 3, inverse: "town"),
      one("parent", \Town.parent, 0, 0, inverse: "children"),
      many("children", \Town.children, 0, .cascade, inverse: "parent"),
      many("admirers", \Town.admirers, 0, inverse: "admires"),
      many("admires", \Town.admires, 0, inverse: "admirers"),
      one("seen", \Town.seen, 0, 1, inverse: nil),
      many("favourites", \Town.favourites, 1, inverse: nil),
      one("lock", \Town.lock, 0, 3, .deny, inverse: nil),
      many("treasures", \Town.treasures, 3, .cascade, inverse: nil),
    ]
  }

  private static var otherLinks: [Link] {
    [
      one("town", \Thing.town, 1, 0, inverse: "houses"),
      one("whole", \Thing.whole, 1, 0, inverse: "parts"),
      one("guardian", \Thing.guardian, 1, 0, inverse: "guarded"),
      one("place", \Thing.place, 1, 0, inverse: "loose"),
      one("rules", \Thing.rules, 1, 0, inverse: "mayor"),
      one("crowns", \Thing.crowns, 1, 0, inverse: "crest"),
      many("tagged", \Thing.tagged, 0, owner: 1, inverse: "tags"),
      many("members", \Thing.members, 0, owner: 1, inverse: "guilds"),
      required("town", \Claim.town, 2, 0, inverse: "claims"),
      required("town", \Ticket.town, 3, 0, inverse: "tickets"),
      one("stub", \Ticket.stub, 3, 1, .cascade, inverse: nil),
    ]
  }

  private static func one<T: Being, D: Being>(
    _ name: String, _ path: ReferenceWritableKeyPath<T, D?>, _ owner: Int, _ destination: Int,
    _ rule: Schema.Relationship.DeleteRule = .nullify, inverse: String?
  ) -> Link {
    Link(
      name: name, owner: owner, destination: destination, isToMany: false, isOptional: true,
      rule: rule, inverseName: inverse,
      get: { model in ((model as? T)?[keyPath: path]).map { [$0] } ?? [] },
      set: { model, models in (model as? T)?[keyPath: path] = models.first as? D })
  }

  private static func required<T: Being, D: Being>(
    _ name: String, _ path: ReferenceWritableKeyPath<T, D>, _ owner: Int, _ destination: Int,
    inverse: String?
  ) -> Link {
    Link(
      name: name, owner: owner, destination: destination, isToMany: false, isOptional: false,
      rule: .nullify, inverseName: inverse,
      get: { model in ((model as? T)?[keyPath: path]).map { [$0] } ?? [] },
      set: { model, models in
        if let only = models.first as? D { (model as? T)?[keyPath: path] = only }
      })
  }

  private static func many<T: Being, D: Being>(
    _ name: String, _ path: ReferenceWritableKeyPath<T, [D]>, _ destination: Int,
    _ rule: Schema.Relationship.DeleteRule = .nullify, owner: Int = 0, inverse: String?
  ) -> Link {
    Link(
      name: name, owner: owner, destination: destination, isToMany: true, isOptional: true,
      rule: rule, inverseName: inverse,
      get: { model in (model as? T)?[keyPath: path] ?? [] },
      set: { model, models in (model as? T)?[keyPath: path] = models.compactMap { $0 as? D } })
  }

  private static func optionalMany<T: Being, D: Being>(
    _ name: String, _ path: ReferenceWritableKeyPath<T, [D]?>, _ destination: Int,
    _ rule: Schema.Relationship.DeleteRule, inverse: String?
  ) -> Link {
    Link(
      name: name, owner: 0, destination: destination, isToMany: true, isOptional: true,
      rule: rule, inverseName: inverse,
      get: { model in ((model as? T)?[keyPath: path] ?? nil) ?? [] },
      set: { model, models in
        (model as? T)?[keyPath: path] = models.isEmpty ? nil : models.compactMap { $0 as? D }
      })
  }
}
