import Foundation
import SwiftDataCore
import SwiftDataSQL
import Testing

@Suite("Captured collections and ranges")
struct MembershipTests {
  let laboratory: Laboratory

  init() throws { laboratory = try Laboratory() }

  @Test func listsOfEveryKind() throws {
    let numbers = [1, 5, Int.max]
    let texts: Set = ["a", "K", "e\u{301}", "zz"]
    let reals = [1, .nan, -0.0]
    let optional: [Int?] = [1, nil]
    let absent: [String?] = [nil]
    let kinds: Set = [Kind.ice, .quake]
    let keys = [Samples.uuid(1), Samples.uuid(255)]
    let dates = reals.map(Date.init(timeIntervalSinceReferenceDate:))
    let empty: [Int] = []
    try laboratory.check(#Predicate { numbers.contains($0.count) })
    try laboratory.check(#Predicate { !numbers.contains($0.count) })
    try laboratory.check(#Predicate { texts.contains($0.name) })
    try laboratory.check(#Predicate { !texts.contains($0.name) })
    try laboratory.check(#Predicate { reals.contains($0.size) })
    try laboratory.check(#Predicate { optional.contains($0.rank) })
    try laboratory.check(#Predicate { !optional.contains($0.rank) })
    try laboratory.check(#Predicate { absent.contains($0.note) })
    try laboratory.check(#Predicate { kinds.contains($0.kind) })
    try laboratory.check(#Predicate { keys.contains($0.key) })
    try laboratory.check(#Predicate { dates.contains($0.date) })
    try laboratory.check(#Predicate { empty.contains($0.count) })
    try laboratory.check(#Predicate { numbers.contains($0.rank ?? 5) })
    try laboratory.check(#Predicate { texts.contains($0.note ?? "K") })
  }

  @Test(arguments: [1, 2, 3, 256, 257, 40_000])
  func listsOfAnyLength(_ length: Int) throws {
    // Only a few rows: evaluation searches the whole list for each.
    let laboratory = try Laboratory(Array(Samples.specimens().prefix(34)))
    let numbers = Array(2..<(2 + length))
    let texts = numbers.map(String.init) + ["a\"b\\c\n", "item 9"]
    try laboratory.check(#Predicate { numbers.contains($0.count) })
    try laboratory.check(#Predicate { texts.contains($0.name) })
  }

  @Test func aListTooLongForOneStatementIsLeftToMemory() throws {
    let reals = (0..<40_000).map(Double.init)
    try laboratory.check(#Predicate { reals.contains($0.size) }, isExact: false)
  }

  @Test func ranges() throws {
    let closed = 1...5
    let open = 1..<5
    let reals = -1.0...4.5
    let from = Date(timeIntervalSinceReferenceDate: 0)
    let to = Date(timeIntervalSinceReferenceDate: 5)
    let low = 2
    try laboratory.check(#Predicate { closed.contains($0.count) })
    try laboratory.check(#Predicate { open.contains($0.count) })
    try laboratory.check(#Predicate { reals.contains($0.size) })
    try laboratory.check(#Predicate { (from...to).contains($0.date) })
    try laboratory.check(#Predicate { (low..<9).contains($0.count) })
    try laboratory.check(#Predicate { !(low..<9).contains($0.count) })
    try laboratory.check(#Predicate { ("a"..."b").contains($0.name) })
    try laboratory.check(#Predicate { (low...7).contains($0.rank ?? 3) })
  }

  @Test func storedLists() throws {
    for text in Samples.texts + ["\\", "/", ",", "a b", "\",\""] {
      try laboratory.check(#Predicate { $0.words.contains(text) })
      try laboratory.check(#Predicate { !$0.words.contains(text) })
    }
    try laboratory.check(#Predicate { $0.words.contains($0.name) })
    for number in Samples.integers {
      try laboratory.check(#Predicate { $0.numbers.contains(number) })
      try laboratory.check(#Predicate { $0.numbers.contains { $0 > number } })
      try laboratory.check(#Predicate { $0.numbers.allSatisfy { $0 >= number } })
      try laboratory.check(#Predicate { $0.numbers.max() == number })
      try laboratory.check(#Predicate { ($0.numbers.min() ?? 7) < number })
      try laboratory.check(#Predicate { $0.numbers.filter { $0 != number }.count == 2 })
    }
    try laboratory.check(#Predicate { $0.numbers.contains($0.count) })
    try laboratory.check(#Predicate { one in one.numbers.contains { $0 == one.rank ?? 5 } })
    try laboratory.check(#Predicate { $0.words.contains { $0 == "a" } }, isExact: false)
  }
}
