import SwiftDataSQL
import Testing

@Suite("Names of indices, triggers and virtual tables")
struct ObjectNamesTests {
  /// All words of one to three letters.
  private static let words: [String] = {
    let letters = ["a", "b", "_"]
    let two = letters.flatMap { a in letters.map { a + $0 } }
    return letters + two + two.flatMap { a in letters.map { a + $0 } }
  }()

  @Test("different tables and lists of columns never share a name")
  func allWords() {
    let lists = Self.words.map { [$0] } + Self.words.flatMap { a in Self.words.map { [a, $0] } }
    var known: [String: [String]] = [:]
    // Only those other lists of a table matter that have the same joined name.
    let rivals = Dictionary(grouping: lists) { $0.joined(separator: "_") }
    for table in Self.words {
      for list in lists {
        let name = ObjectNames.name(
          table, list, "index", among: rivals[list.joined(separator: "_")] ?? [])
        if let other = known.updateValue([table] + list, forKey: name) {
          Issue.record("\(name) is of \(other) and of \([table] + list)")
        }
      }
    }
    #expect(known.count == Self.words.count * lists.count)
  }

  @Test("usual names are as they were")
  func usualNames() {
    #expect(ObjectNames.name("Quake", ["code"], "unique") == "Quake_code_unique")
    #expect(ObjectNames.name("Quake", ["place_name"], "index") == "Quake_place_name_index")
    #expect(
      ObjectNames.name("Quake", ["a", "b"], "index", among: [["a", "b"], ["c"]])
        == "Quake_a_b_index")
    #expect(
      ObjectNames.name("Quake", ["a_b"], "index", among: [["a", "b"], ["a_b"]])
        == "Quake_a_b:5,3_index")
  }
}
