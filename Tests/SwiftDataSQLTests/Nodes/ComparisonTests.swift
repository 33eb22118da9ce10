import Foundation
import SwiftDataCore
import SwiftDataSQL
import Testing

@Suite("Comparisons have the same results in SQL as in Swift")
struct ComparisonTests {
  let laboratory: Laboratory

  init() throws { laboratory = try Laboratory() }

  @Test func integers() throws {
    for limit in Samples.integers {
      try laboratory.check(#Predicate { $0.count == limit })
      try laboratory.check(#Predicate { $0.count != limit })
      try laboratory.check(#Predicate { $0.count < limit })
      try laboratory.check(#Predicate { $0.count <= limit })
      try laboratory.check(#Predicate { $0.count > limit })
      try laboratory.check(#Predicate { limit >= $0.count })
      try laboratory.check(#Predicate { $0.rank == limit })
      try laboratory.check(#Predicate { $0.rank != limit })
      try laboratory.check(#Predicate { ($0.rank ?? 3) > limit })
      try laboratory.check(#Predicate { ($0.rank ?? 3) == limit })
      try laboratory.check(#Predicate { ($0.rank ?? $0.count) <= limit })
    }
  }

  @Test func unsignedIntegersAboveTheSignedOnes() throws {
    for limit in [UInt64(0), 5, UInt64(Int64.max), UInt64(Int64.max) + 1, .max] {
      try laboratory.check(#Predicate { $0.big == limit })
      try laboratory.check(#Predicate { $0.big < limit })
      try laboratory.check(#Predicate { $0.big >= limit })
    }
  }

  @Test func realsWithNaNInfinityAndZeros() throws {
    for limit in Samples.reals {
      let single = Float(limit)
      try laboratory.check(#Predicate { $0.size == limit })
      try laboratory.check(#Predicate { $0.size != limit })
      try laboratory.check(#Predicate { $0.size < limit })
      try laboratory.check(#Predicate { $0.size <= limit })
      try laboratory.check(#Predicate { $0.size > limit })
      try laboratory.check(#Predicate { $0.size >= limit })
      try laboratory.check(#Predicate { !($0.size >= limit) })
      try laboratory.check(#Predicate { $0.depth == limit })
      try laboratory.check(#Predicate { $0.depth != limit })
      try laboratory.check(#Predicate { ($0.depth ?? 1) > limit })
      try laboratory.check(#Predicate { ($0.depth ?? 1) != limit })
      try laboratory.check(#Predicate { $0.ratio > single })
      try laboratory.check(#Predicate { $0.ratio == single })
    }
  }

  @Test func columnsWithEachOther() throws {
    try laboratory.check(#Predicate { $0.size == $0.place.point.latitude })
    try laboratory.check(#Predicate { $0.size != $0.place.point.latitude })
    try laboratory.check(#Predicate { $0.size < $0.place.point.latitude })
    try laboratory.check(#Predicate { $0.size >= $0.place.point.latitude })
    try laboratory.check(#Predicate { $0.depth == $0.place.depth })
    try laboratory.check(#Predicate { $0.depth != $0.place.depth })
    try laboratory.check(#Predicate { $0.rank == $0.rank })
    try laboratory.check(#Predicate { $0.name == $0.place.name })
    try laboratory.check(#Predicate { $0.name < $0.place.name })
    try laboratory.check(#Predicate { $0.note == $0.place.note })
    try laboratory.check(#Predicate { $0.note != $0.place.note })
    try laboratory.check(#Predicate { $0.kind == $0.kind })
    try laboratory.check(#Predicate { $0.isOpen == $0.place.isNear })
  }

  @Test func dates() throws {
    for seconds in Samples.reals {
      let date = Date(timeIntervalSinceReferenceDate: seconds)
      try laboratory.check(#Predicate { $0.date == date })
      try laboratory.check(#Predicate { $0.date > date })
      try laboratory.check(#Predicate { $0.date <= date })
      try laboratory.check(#Predicate { $0.updated == date })
      try laboratory.check(#Predicate { $0.updated != date })
      try laboratory.check(#Predicate { ($0.updated ?? date) >= date })
      try laboratory.check(#Predicate { $0.date.timeIntervalSinceReferenceDate > seconds })
      try laboratory.check(#Predicate { $0.date.timeIntervalSince1970 < seconds })
    }
  }

  @Test func textsByCanonicalEquivalence() throws {
    for text in Samples.texts {
      try laboratory.check(#Predicate { $0.name == text })
      try laboratory.check(#Predicate { $0.name != text })
      try laboratory.check(#Predicate { $0.name < text })
      try laboratory.check(#Predicate { $0.name >= text })
      try laboratory.check(#Predicate { $0.note == text })
      try laboratory.check(#Predicate { $0.note != text })
      try laboratory.check(#Predicate { ($0.note ?? "K") == text })
      try laboratory.check(#Predicate { ($0.note ?? "a") > text })
    }
  }

  @Test func nilTests() throws {
    let none: Int? = nil
    let text: String? = nil
    try laboratory.check(#Predicate { $0.rank == nil })
    try laboratory.check(#Predicate { $0.rank != nil })
    try laboratory.check(#Predicate { $0.rank == none })
    try laboratory.check(#Predicate { $0.note != text })
    try laboratory.check(#Predicate { $0.depth == nil && $0.updated != nil })
    try laboratory.check(#Predicate { $0.origin == nil })
    try laboratory.check(#Predicate { $0.origin != nil })
    try laboratory.check(#Predicate { $0.owner == nil })
    try laboratory.check(#Predicate { $0.owner != nil })
    try laboratory.check(#Predicate { $0.link == nil })
    try laboratory.check(#Predicate { $0.alert == nil })
    try laboratory.check(#Predicate { $0.isFelt == nil })
  }

  @Test func enumerationsByRawValue() throws {
    let kind = Kind.blast
    let alert: Kind? = .ice
    let level = Level.high
    try laboratory.check(#Predicate { $0.kind == kind })
    try laboratory.check(#Predicate { $0.kind != kind })
    try laboratory.check(#Predicate { $0.alert == alert })
    try laboratory.check(#Predicate { $0.alert == kind })
    try laboratory.check(#Predicate { $0.alert != kind })
    try laboratory.check(#Predicate { $0.level == level })
    try laboratory.check(#Predicate { $0.kind.rawValue == "ice" })
    try laboratory.check(#Predicate { $0.kind.rawValue > "ice" })
    try laboratory.check(#Predicate { $0.kind.rawValue.contains("a") })
    try laboratory.check(#Predicate { $0.alert?.rawValue == "ice" })
    try laboratory.check(#Predicate { $0.level.rawValue > 3 })
    try laboratory.check(#Predicate { $0.tag.rawValue.starts(with: "a") })
    try laboratory.check(#Predicate { $0.kind.title == "ice" }, isExact: false)
    for text in Samples.texts {
      let tag = Tag(rawValue: text)
      try laboratory.check(#Predicate { $0.tag == tag })
      try laboratory.check(#Predicate { $0.tag != tag })
    }
  }

  @Test func enumerationsAsJSON() throws {
    let plain = Plain.second
    let nothing = Payload.none
    let number = Payload.number(0)
    try laboratory.check(#Predicate { $0.plain == plain })
    try laboratory.check(#Predicate { $0.payload == nothing })
    // 0 and -0 are equal in Swift but have different texts.
    try laboratory.check(#Predicate { $0.payload == number }, isExact: false)
  }

  @Test func dataIdentifiersLinksAndDecimals() throws {
    for bytes in [[], [0], [1, 2], [255]] as [[UInt8]] {
      let data = Data(bytes)
      try laboratory.check(#Predicate { $0.data == data })
      try laboratory.check(#Predicate { $0.data != data })
    }
    for byte in [0, 1, 127, 128, 255] as [UInt8] {
      let key = Samples.uuid(byte)
      try laboratory.check(#Predicate { $0.key == key })
      try laboratory.check(#Predicate { $0.key < key })
      try laboratory.check(#Predicate { $0.key >= key })
    }
    let link = try #require(URL(string: "http://a/c?d=é"))
    let relative = try #require(URL(string: "b", relativeTo: URL(string: "http://a/")))
    try laboratory.check(#Predicate { $0.link == link })
    try laboratory.check(#Predicate { $0.link != link })
    try laboratory.check(#Predicate { $0.link == relative })
    let absolute = relative.absoluteURL
    try laboratory.check(#Predicate { $0.link == absolute })
    for links in [[relative], [relative, link], [relative, absolute]] as [[URL?]] {
      try laboratory.check(#Predicate { links.contains($0.link) })
      try laboratory.check(#Predicate { !links.contains($0.link) })
    }
    for digits in ["0", "1", "1.0", "-1", "0.5", "3", "1e20"] {
      let price = try #require(Decimal(string: digits))
      try laboratory.check(#Predicate { $0.price == price })
      try laboratory.check(#Predicate { $0.price != price })
      try laboratory.check(#Predicate { $0.price < price })
    }
  }

  @Test func truthValues() throws {
    let no = false
    try laboratory.check(#Predicate { $0.isOpen })
    try laboratory.check(#Predicate { !$0.isOpen })
    try laboratory.check(#Predicate { $0.isOpen == no })
    try laboratory.check(#Predicate { $0.isFelt == true })
    try laboratory.check(#Predicate { $0.isFelt != true })
    try laboratory.check(#Predicate { $0.isFelt ?? false })
    try laboratory.check(#Predicate { $0.isFelt ?? true })
    try laboratory.check(#Predicate { $0.isOpen == ($0.count > 2) })
    try laboratory.check(#Predicate { ($0.count > 2) != ($0.size > 2) })
    try laboratory.check(#Predicate { _ in true })
    try laboratory.check(#Predicate { _ in no })
    try laboratory.check(.true)
  }
}
