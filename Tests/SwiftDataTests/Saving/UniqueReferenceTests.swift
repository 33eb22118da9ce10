import Foundation
import StoreTesting
import SwiftData
import Testing

@Model
private final class UniqueGauge {
  @Attribute(.unique) var code: String
  @Relationship(inverse: \UniqueLevel.gauge) var levels: [UniqueLevel] = []

  init(_ code: String) {
    self.code = code
  }
}

@Model
private final class UniqueLevel {
  #Unique<UniqueLevel>([\.gauge, \.hour])
  var hour: Int
  var metres: Double
  var gauge: UniqueGauge?
  @Relationship(inverse: \UniqueRemark.level) var remarks: [UniqueRemark] = []

  init(_ gauge: UniqueGauge?, hour: Int, metres: Double) {
    self.hour = hour
    self.metres = metres
    self.gauge = gauge
  }
}

@Model
private final class UniqueRemark {
  #Unique<UniqueRemark>([\.level, \.kind])
  var kind: String
  var text: String
  var level: UniqueLevel?

  init(_ level: UniqueLevel?, kind: String, text: String) {
    self.kind = kind
    self.text = text
    self.level = level
  }
}

@Model
private final class UniqueFolder {
  #Unique<UniqueFolder>([\.parent, \.name])
  var name: String
  var size: Int
  var parent: UniqueFolder?
  @Relationship(inverse: \UniqueFolder.parent) var children: [UniqueFolder] = []

  init(_ name: String, in parent: UniqueFolder? = nil, size: Int = 0) {
    self.name = name
    self.size = size
    self.parent = parent
  }
}

@Suite("Unique values that lead to other models of the save")
struct UniqueReferenceTests {
  @Test("find the stored rows, in any order of insertion", arguments: 0..<4)
  func order(_ order: Int) throws {
    let container = try memoryContainer(UniqueGauge.self, UniqueLevel.self, UniqueRemark.self)
    for round in 0..<3 {
      let context = ModelContext(container)
      let gauge = UniqueGauge("a")
      let levels = (0..<3).map { UniqueLevel(nil, hour: $0, metres: Double(round)) }
      let remark = UniqueRemark(nil, kind: "ice", text: "\(round)")
      switch order {
      case 0:
        context.insert(remark)
        remark.level = levels[0]
        for level in levels {
          context.insert(level)
          level.gauge = gauge
        }
      case 1:
        context.insert(gauge)
        gauge.levels = levels
        remark.level = levels[0]
      case 2:
        for level in levels.reversed() { context.insert(level) }
        context.insert(gauge)
        context.insert(remark)
        gauge.levels = levels
        remark.level = levels[0]
      default:
        remark.level = levels[0]
        for level in levels { level.gauge = gauge }
        context.insert(remark)
        context.insert(levels[1])
        context.insert(levels[2])
      }
      try context.save()

      let fresh = ModelContext(container)
      let gauges = try fresh.fetch(FetchDescriptor<UniqueGauge>())
      #expect(gauges.map(\.code) == ["a"])
      let stored = try fresh.fetch(FetchDescriptor<UniqueLevel>(sortBy: [SortDescriptor(\.hour)]))
      #expect(stored.map(\.hour) == [0, 1, 2])
      #expect(stored.allSatisfy { $0.metres == Double(round) && $0.gauge === gauges.first })
      let remarks = try fresh.fetch(FetchDescriptor<UniqueRemark>())
      #expect(remarks.map(\.text) == ["\(round)"])
      #expect(remarks.first?.level === stored.first)
    }
  }

  @Test("find the stored rows of a tree, whichever end comes first", arguments: 0..<3)
  func tree(_ order: Int) throws {
    let container = try memoryContainer(UniqueFolder.self)
    let first = ModelContext(container)
    first.insert(UniqueFolder("root"))
    try first.save()
    for round in 1...3 {
      let context = ModelContext(container)
      let root = try #require(
        context.fetch(FetchDescriptor<UniqueFolder>(predicate: #Predicate { $0.name == "root" }))
          .first)
      var path: [UniqueFolder] = []
      for name in ["a", "b", "c"] {
        let folder = UniqueFolder(name, size: round)
        path.append(folder)
      }
      for folder in order == 0 ? path : path.reversed() { context.insert(folder) }
      for (parent, child) in zip([root] + path, path) { child.parent = parent }
      if order == 2 {
        // The same path once more: the later models decide.
        var parent = root
        for name in ["a", "b"] {
          let folder = UniqueFolder(name, size: round * 10)
          context.insert(folder)
          folder.parent = parent
          parent = folder
        }
      }
      try context.save()
      let stored = try ModelContext(container).fetch(
        FetchDescriptor<UniqueFolder>(sortBy: [SortDescriptor(\.name, comparator: .lexical)]))
      #expect(stored.map(\.name) == ["a", "b", "c", "root"])
      #expect(stored.map { $0.parent?.name } == ["root", "a", "b", nil])
      let above = order == 2 ? round * 10 : round
      #expect(stored.map(\.size) == [above, above, round, 0])
    }
  }

  @Test("of an edited model lead to the stored row, too")
  func edited() throws {
    let container = try memoryContainer(UniqueGauge.self, UniqueLevel.self, UniqueRemark.self)
    let context = ModelContext(container)
    context.insert(UniqueGauge("a"))
    let level = UniqueLevel(nil, hour: 1, metres: 1)
    context.insert(level)
    try context.save()

    let again = UniqueGauge("a")
    level.gauge = again
    let other = UniqueLevel(again, hour: 2, metres: 2)
    context.insert(other)
    try context.save()
    let stored = try ModelContext(container).fetch(
      FetchDescriptor<UniqueLevel>(sortBy: [SortDescriptor(\.hour)]))
    #expect(stored.map(\.metres) == [1, 2])
    #expect(stored.allSatisfy { $0.gauge?.code == "a" })
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<UniqueGauge>()) == 1)
  }
}
