import Foundation
import SwiftDataCore
import SwiftDataSQL
import Testing

@Suite("Parts of texts are found character by character")
struct StringSearchTests {
  let laboratory: Laboratory

  init() throws { laboratory = try Laboratory() }

  @Test func partsAndBeginnings() throws {
    for text in Samples.texts {
      try laboratory.check(#Predicate { $0.name.contains(text) })
      try laboratory.check(#Predicate { $0.name.starts(with: text) })
      try laboratory.check(#Predicate { text.contains($0.name) })
      try laboratory.check(#Predicate { text.starts(with: $0.name) })
      try laboratory.check(#Predicate { $0.note?.starts(with: text) ?? false })
      try laboratory.check(#Predicate { !($0.note ?? "ab").contains(text) })
    }
    try laboratory.check(#Predicate { $0.name.contains($0.place.name) })
  }

  @Test func asPeopleSearch() throws {
    for text in Samples.texts {
      try laboratory.check(#Predicate { $0.name.localizedStandardContains(text) })
      try laboratory.check(#Predicate { $0.note?.localizedStandardContains(text) == true })
    }
  }

  @Test func comparisonsWithoutCaseAndByLocale() throws {
    let same = ComparisonResult.orderedSame
    let before = ComparisonResult.orderedAscending
    for text in Samples.texts {
      try laboratory.check(#Predicate { $0.name.caseInsensitiveCompare(text) == same })
      try laboratory.check(#Predicate { $0.name.localizedCompare(text) == before })
    }
  }

  @Test func lengths() throws {
    for count in 0..<5 {
      try laboratory.check(#Predicate { $0.name.count == count })
      try laboratory.check(#Predicate { $0.data.count >= count })
    }
    try laboratory.check(#Predicate { $0.name.isEmpty })
    try laboratory.check(#Predicate { $0.words.isEmpty })
    try laboratory.check(#Predicate { $0.words.count == 2 })
    try laboratory.check(#Predicate { $0.words.first == "a" }, isExact: false)
    try laboratory.check(#Predicate { !$0.data.isEmpty })
  }
}
