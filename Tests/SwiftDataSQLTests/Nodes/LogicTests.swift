import Foundation
import SwiftDataCore
import SwiftDataSQL
import Testing

@Suite("Logic never meets SQL's third truth value")
struct LogicTests {
  let laboratory: Laboratory

  init() throws { laboratory = try Laboratory() }

  @Test func conjunctionsDisjunctionsNegations() throws {
    try laboratory.check(#Predicate { $0.count > 2 && $0.size < 5 })
    try laboratory.check(#Predicate { $0.count > 2 || $0.rank == 3 })
    try laboratory.check(#Predicate { !($0.count > 2 || $0.rank == 3) })
    try laboratory.check(#Predicate { !($0.count > 2 && !($0.rank == 3)) })
    try laboratory.check(
      #Predicate { ($0.isOpen || $0.count > 2) && ($0.size > 1 || $0.rank == nil) })
    try laboratory.check(#Predicate { !($0.note == "a") && !($0.isFelt ?? true) })
  }

  @Test func choices() throws {
    try laboratory.check(#Predicate { $0.isOpen ? $0.count > 2 : $0.size > 2 })
    try laboratory.check(#Predicate { ($0.isOpen ? $0.count : 5) == 5 })
    try laboratory.check(#Predicate { ($0.isOpen ? 3 : 5) == $0.count })
    try laboratory.check(#Predicate { ($0.isOpen ? $0.rank : nil) == 5 })
    try laboratory.check(#Predicate { if let rank = $0.rank { rank > 2 } else { false } })
    try laboratory.check(#Predicate { if let rank = $0.rank { rank > 2 } else { true } })
    try laboratory.check(#Predicate { if let rank = $0.rank { rank > 2 } else { $0.isOpen } })
  }

  @Test func chains() throws {
    try laboratory.check(#Predicate { $0.note?.contains("a") == true })
    try laboratory.check(#Predicate { $0.note?.contains("a") == false })
    try laboratory.check(#Predicate { $0.note?.contains("a") != true })
    try laboratory.check(#Predicate { $0.note?.contains("a") ?? false })
    try laboratory.check(#Predicate { $0.note?.contains("a") ?? true })
    try laboratory.check(#Predicate { $0.note?.contains("a") == nil })
    try laboratory.check(#Predicate { $0.note?.count == 3 })
    try laboratory.check(#Predicate { $0.note?.count == nil })
    try laboratory.check(#Predicate { $0.note?.count != 1 })
    try laboratory.check(#Predicate { ($0.note?.count ?? 7) > 2 })
    try laboratory.check(#Predicate { $0.rank.flatMap { $0 / 2 } == 2 })
    try laboratory.check(#Predicate { $0.note?.isEmpty ?? true })
    try laboratory.check(#Predicate { $0.note?.isEmpty == false })
  }

  @Test func membersOfStructures() throws {
    try laboratory.check(#Predicate { $0.place.name == "a" })
    try laboratory.check(#Predicate { $0.place.note == nil })
    try laboratory.check(#Predicate { $0.place.point.latitude > 2 })
    try laboratory.check(#Predicate { $0.place.point.longitude == nil })
    try laboratory.check(#Predicate { $0.place.isNear })
    try laboratory.check(#Predicate { $0.origin?.name == "a" })
    try laboratory.check(#Predicate { $0.origin?.name != "a" })
    try laboratory.check(#Predicate { $0.origin?.note == nil })
    try laboratory.check(#Predicate { $0.origin?.isNear == true })
    try laboratory.check(#Predicate { $0.origin?.isNear ?? true })
    try laboratory.check(#Predicate { ($0.origin?.point.latitude ?? 3) > 2 })
    try laboratory.check(#Predicate { $0.origin?.point.longitude == 5 })
  }

  @Test func relationships() throws {
    try laboratory.check(#Predicate { $0.owner?.name == "Ann" })
    try laboratory.check(#Predicate { $0.owner?.name != "Ann" })
    try laboratory.check(#Predicate { $0.owner?.age == nil })
    try laboratory.check(#Predicate { ($0.owner?.age ?? 6) > 5 })
    try laboratory.check(#Predicate { $0.owner?.home.name == "Bob" })
    try laboratory.check(#Predicate { $0.owner?.parent?.name == "e\u{301}" })
    try laboratory.check(#Predicate { $0.owner?.parent == nil })
    try laboratory.check(#Predicate { $0.owner?.name.contains("b") ?? false })
    try laboratory.check(#Predicate { ($0.owner?.name ?? "z") < "b" })
    try laboratory.check(#Predicate { ($0.owner?.parent?.age ?? 3) == 3 })
  }

  @Test func identifiers() throws {
    let first = laboratory.specimens[3].persistentModelID
    let owner = try #require(laboratory.specimens[0].owner?.persistentModelID)
    try laboratory.check(#Predicate { $0.persistentModelID == first })
    try laboratory.check(#Predicate { $0.persistentModelID != first })
    try laboratory.check(#Predicate { $0.id == first })
    try laboratory.check(#Predicate { $0.owner?.persistentModelID == owner })
    try laboratory.check(#Predicate { $0.owner?.persistentModelID != owner })
    try laboratory.check(#Predicate { $0.persistentModelID == owner })
    let unsaved = Specimen().persistentModelID
    try laboratory.check(#Predicate { $0.persistentModelID == unsaved })
    let several = [first, laboratory.specimens[5].persistentModelID, unsaved]
    try laboratory.check(#Predicate { several.contains($0.persistentModelID) })
  }

  @Test func unwrappingByForceIsTranslatedWhereNilIsExcluded() throws {
    try laboratory.check(#Predicate { $0.rank != nil && $0.rank! > 2 })
    try laboratory.check(#Predicate { $0.rank == nil || $0.rank! > 2 })
    try laboratory.check(#Predicate { $0.rank == nil ? $0.isOpen : $0.rank! > 2 })
    try laboratory.check(#Predicate { !($0.rank == nil) && $0.rank! > 2 && $0.rank! < 50 })
    let bare = try laboratory.translator.translate(
      LoweredPredicate(#Predicate<Specimen> { $0.rank! > 2 }))
    #expect(!bare.isExact && bare.condition == nil)
  }

  @Test func untranslatableTermsAreLeftOutOfConjunctionsOnly() throws {
    let words = ["a"]
    try laboratory.check(
      #Predicate { $0.count > 2 && $0.words.first == "a" && $0.isOpen }, isExact: false)
    try laboratory.check(
      #Predicate { $0.count > 2 || $0.words.first == "a" }, isExact: false)
    try laboratory.check(
      #Predicate { !($0.count > 2 || $0.words == words) && $0.isOpen }, isExact: false)
    try laboratory.check(
      #Predicate { ($0.count > 2 && $0.words == words) == $0.isOpen }, isExact: false)
    let translated = try laboratory.translator.translate(
      LoweredPredicate(
        #Predicate<Specimen> { $0.count > 2 && $0.words == words && $0.isOpen }))
    #expect(translated.condition?.sql == #"t0."count" > ? AND t0."isOpen" = 1"#)
    #expect(translated.reasons.count == 1)
  }
}
