import Foundation
import SwiftData
import Testing

/// Depth and width, on a stack of 512 KiB. OPENSWIFTDATA_TEST_SCALE sets the number of models.
@Suite("Long chains and wide lists work on a small stack", .serialized)
struct DepthTests {
  let container: ModelContainer

  init() throws { container = try memoryContainer(Knot.self, Card.self, CardBox.self) }

  @Test("a chain is inserted by its head, saved, fetched, walked, deleted and released")
  func chain() throws {
    let (container, count) = (container, Scale.count)
    try Scale.onSmallStack {
      var first: Knot? = nil
      for number in 0..<count { first = Knot(number, next: first) }
      let context = ModelContext(container)
      context.insert(try #require(first))
      #expect(context.insertedModelsArray.count == count)
      try context.save()
      first = nil
      let other = ModelContext(container)
      var all = try other.fetch(FetchDescriptor<Knot>(sortBy: [SortDescriptor(\.number)]))
      #expect(all.count == count)
      var length = 0
      var next = all.last
      while let knot = next {
        length += 1
        next = knot.next
      }
      #expect(length == count)
      for knot in all { other.delete(knot) }
      try other.save()
      #expect(all.allSatisfy { $0.isDeleted })
      all = []
      #expect(try context.fetchCount(FetchDescriptor<Knot>()) == 0)
    }
  }

  @Test("a tree of one branch is deleted by its root, with cascades")
  func cascade() throws {
    let (container, count) = (container, Scale.count)
    try Scale.onSmallStack {
      let context = ModelContext(container)
      let root = Knot(0)
      context.insert(root)
      var last = root
      for number in 1..<count {
        let knot = Knot(number)
        knot.above = last
        last = knot
      }
      try context.save()
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Knot>()) == count)
      context.delete(root)
      #expect(last.isDeleted)
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Knot>()) == 0)
    }
  }

  @Test("a wide list is made, saved, read, shortened and deleted")
  func width() throws {
    let (container, count) = (container, Scale.width)
    try Scale.onSmallStack {
      let context = ModelContext(container)
      let box = CardBox("wide", cards: (0..<count).map { Card("\($0)") })
      context.insert(box)
      try context.save()
      let other = ModelContext(container)
      let read = try #require(try other.fetch(FetchDescriptor<CardBox>()).first)
      #expect(read.cards.count == count)
      read.cards.removeLast(count / 2)
      try other.save()
      #expect(
        try ModelContext(container).fetch(FetchDescriptor<CardBox>()).first?.cards.count
          == count - count / 2)
      other.delete(read)
      try other.save()
      #expect(try context.fetchCount(FetchDescriptor<Card>()) == count / 2)
    }
  }

  @Test("lists of many values in a predicate, stored and pending")
  func listsOfValues() throws {
    let (container, count) = (container, Scale.count)
    try Scale.onSmallStack {
      let context = ModelContext(container)
      for number in 0..<100 { context.insert(Knot(number)) }
      try context.save()
      context.insert(Knot(100))
      let numbers = Array(50..<(50 + count))
      let found = try context.fetch(
        FetchDescriptor<Knot>(predicate: #Predicate { numbers.contains($0.number) }))
      #expect(found.count == 51)
    }
  }

  @Test("many pending models are found, rolled back and saved")
  func pending() throws {
    let (container, count) = (container, Scale.count)
    try Scale.onSmallStack {
      let context = ModelContext(container)
      for number in 0..<count { context.insert(Knot(number)) }
      #expect(try context.fetchCount(FetchDescriptor<Knot>()) == count)
      context.rollback()
      #expect(try context.fetchCount(FetchDescriptor<Knot>()) == 0)
      for number in 0..<count { context.insert(Knot(number)) }
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Knot>()) == count)
    }
  }
}
