import SwiftData

/// The common properties of the classes of the random steps: a key that identifies the model, and a value.
protocol Being: PersistentModel {
  var key: Int { get }
  var value: Int { get set }
}

/// The destination of relationships of every kind.
@Model
final class Town {
  var key: Int
  var value = 0
  @Relationship(inverse: \Thing.town) var houses: [Thing] = []
  @Relationship(deleteRule: .cascade, inverse: \Thing.whole) var parts: [Thing]?
  @Relationship(deleteRule: .deny, inverse: \Thing.guardian) var guarded: [Thing] = []
  @Relationship(deleteRule: .noAction, inverse: \Thing.place) var loose: [Thing] = []
  @Relationship(inverse: \Thing.rules) var mayor: Thing?
  @Relationship(deleteRule: .cascade, inverse: \Thing.crowns) var crest: Thing?
  @Relationship(inverse: \Thing.tagged) var tags: [Thing] = []
  @Relationship(deleteRule: .cascade, inverse: \Thing.members) var guilds: [Thing]?
  @Relationship(deleteRule: .deny, inverse: \Claim.town) var claims: [Claim] = []
  @Relationship(inverse: \Ticket.town) var tickets: [Ticket] = []
  var parent: Town?
  @Relationship(deleteRule: .cascade, inverse: \Town.parent) var children: [Town] = []
  var admirers: [Town] = []
  @Relationship(inverse: \Town.admirers) var admires: [Town] = []
  @Relationship(inverse: nil) var seen: Thing?
  @Relationship(inverse: nil) var favourites: [Thing] = []
  @Relationship(deleteRule: .deny, inverse: nil) var lock: Ticket?
  @Relationship(deleteRule: .cascade, inverse: nil) var treasures: [Ticket] = []

  init(key: Int) { self.key = key }
}

@Model
final class Thing {
  var key: Int
  var value = 0
  var town: Town?
  var whole: Town?
  var guardian: Town?
  var place: Town?
  var rules: Town?
  var crowns: Town?
  var tagged: [Town] = []
  var members: [Town] = []

  init(key: Int) { self.key = key }
}

/// A claim denies the deletion of its town.
@Model
final class Claim {
  var key: Int
  var value = 0
  var town: Town

  init(key: Int, town: Town) {
    self.key = key
    self.town = town
  }
}

/// A ticket needs a town, and its stub is deleted with it.
@Model
final class Ticket {
  var key: Int
  var value = 0
  var town: Town
  @Relationship(deleteRule: .cascade, inverse: nil) var stub: Thing?

  init(key: Int, town: Town) {
    self.key = key
    self.town = town
  }
}

extension Town: Being {}
extension Thing: Being {}
extension Claim: Being {}
extension Ticket: Being {}
