import SwiftData
import SwiftDataCore
import SwiftDataExtras
import Testing

@Model
final class Telegram {
  @Attribute(.codable) var isSent = true
  @Attribute(.codable) var wasRead: Bool?
  @Attribute(.codable) var name = "Alice"
  @Attribute(.codable) var number: Int?
  @Attribute(.codable) var words: [String] = []
  var plain = "Alice"
  var count = 0

  init() {}
}

@Suite("Values of .codable attributes are compared as values, not by their JSON")
struct CodableAttributeTests {
  let container: ModelContainer

  init() throws {
    container = try memoryContainer(Telegram.self)
    let context = ModelContext(container)
    for count in 0..<6 {
      let card = Telegram()
      card.isSent = count.isMultiple(of: 2)
      card.wasRead = [nil, true, false][count % 3]
      card.name = ["Alice", "Bob", "\"Al\""][count % 3]
      card.number = count > 3 ? nil : count
      card.words = count > 2 ? [card.name, "x"] : ["y"]
      card.plain = count > 2 ? "Bob" : "Alice"
      card.count = count
      context.insert(card)
    }
    try context.save()
  }

  private func expectSame(
    _ predicate: Predicate<Telegram>, isExact: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try expectSameAnswer(predicate, in: container, isExact: isExact, sourceLocation: sourceLocation)
  }

  @Test("truth values")
  func truth() throws {
    try expectSame(#Predicate { $0.isSent })
    try expectSame(#Predicate { !$0.isSent })
    try expectSame(#Predicate { $0.isSent && $0.count > 1 })
    try expectSame(#Predicate { $0.isSent || $0.count > 4 })
    try expectSame(#Predicate { $0.wasRead ?? false })
    try expectSame(#Predicate { $0.wasRead == true })
    try expectSame(#Predicate { $0.isSent == ($0.count > 2) })
    try expectSame(#Predicate { $0.count > 2 ? $0.isSent : $0.wasRead ?? true })
    try expectSame(#Predicate { $0.isSent == ($0.wasRead ?? true) })
  }

  @Test("texts")
  func texts() throws {
    try expectSame(#Predicate { $0.name.starts(with: "Al") })
    try expectSame(#Predicate { $0.name.contains("\"") })
    try expectSame(#Predicate { $0.name.localizedStandardContains("bo") })
    try expectSame(#Predicate { $0.plain.contains($0.name) })
    try expectSame(#Predicate { $0.plain == $0.name })
    try expectSame(#Predicate { $0.name != $0.plain })
    try expectSame(#Predicate { $0.plain < $0.name })
    try expectSame(#Predicate { $0.name >= $0.plain })
    try expectSame(#Predicate { ($0.isSent ? $0.name : $0.plain) == "Bob" })
    let names = ["Bob", "Cy"]
    try expectSame(#Predicate { names.contains($0.name) })
    try expectSame(#Predicate { $0.words.contains($0.name) })
  }

  @Test("numbers, nil and lists")
  func others() throws {
    try expectSame(#Predicate { $0.count == ($0.number ?? 9) })
    try expectSame(#Predicate { ($0.number ?? $0.count) > 2 })
    try expectSame(#Predicate { $0.count + ($0.number ?? 1) > 4 })
    try expectSame(#Predicate { $0.number == nil }, isExact: true)
    try expectSame(#Predicate { $0.words.contains("x") }, isExact: true)
    try expectSame(#Predicate { $0.words.count == 2 }, isExact: true)
  }

  @Test("the right rows are deleted and updated")
  func batches() throws {
    let changed = try container.batchUpdate(
      Telegram.self, where: #Predicate { $0.name.starts(with: "Al") }
    ) { $0.set(\.count, to: 100) }
    #expect(changed == 2)
    let context = ModelContext(container)
    try context.delete(model: Telegram.self, where: #Predicate { $0.isSent })
    try context.save()
    let rest = try context.fetch(FetchDescriptor<Telegram>(sortBy: [SortDescriptor(\.count)]))
    #expect(rest.map(\.isSent) == [false, false, false])
    #expect(rest.map(\.count) == [1, 5, 100])
  }
}
