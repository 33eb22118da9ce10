import Foundation
import SwiftData
import SwiftDataCore
import SwiftDataExtras
import Testing

/// The database follows delete rules up to a depth of 1,000.
@Suite("Deletions by predicate reach to the bottom of trees")
struct DeepDeletionTests {
  private let depth = max(Scale.count, 3_000)

  private func tree(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    var last = Knot(0)
    context.insert(last)
    for number in 1..<depth {
      let knot = Knot(number)
      knot.above = last
      // Leaves along the chain, and links across.
      if number.isMultiple(of: 100) {
        let leaf = Knot(-number)
        leaf.above = last
        leaf.side = [knot]
      }
      last = knot
    }
    context.insert(Knot(-1))
    try context.save()
  }

  @Test("of a context")
  func context() throws {
    let container = try memoryContainer(Knot.self)
    try tree(container)
    let context = ModelContext(container)
    let stays = try context.fetch(FetchDescriptor<Knot>(predicate: #Predicate { $0.number == -1 }))
    let leaf = try context.fetch(FetchDescriptor<Knot>(predicate: #Predicate { $0.number == -200 }))
    try context.delete(model: Knot.self, where: #Predicate { $0.number == 0 })
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Knot>()).map(\.number) == [-1])
    #expect(leaf.first?.isDeleted == true && stays.first?.isDeleted == false)
    let changes = try #require(try context.history().last).summary
    #expect(changes.count { $0.hasPrefix("delete") } == depth + (depth - 1) / 100)
  }

  @Test("of a container, with a predicate on models deleted first")
  func container() throws {
    let store = try TemporaryStore()
    let container = try store.container(Knot.self)
    try tree(container)
    let gone = try container.batchDelete(
      Knot.self, where: #Predicate { $0.number == 0 && !$0.below.isEmpty })
    #expect(gone == depth + (depth - 1) / 100)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Knot>()).map(\.number) == [-1])
    guard StoreKind.tested == .sqlite else { return }
    #expect(try store.value("SELECT count(*) FROM pragma_foreign_key_check") == "0")
  }

  @Test("of rows that refer to each other in a ring")
  func ring() throws {
    let container = try memoryContainer(Ring.self)
    let context = ModelContext(container)
    let first = Ring()
    context.insert(first)
    var last = first
    for _ in 1..<depth {
      let ring = Ring()
      last.next = ring
      last = ring
    }
    last.next = first
    try context.save()
    let number = 1
    first.number = number
    try context.save()
    try context.delete(model: Ring.self, where: #Predicate { $0.number == number })
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Ring>()) == 0)
  }
}

@Model
final class Ring {
  var number = 0
  @Relationship(deleteRule: .cascade, inverse: nil) var next: Ring?

  init() {}
}
