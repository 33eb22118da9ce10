import SwiftData
import SwiftDataExtras
import Testing

@Suite("Groups")
struct GroupTests {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try memoryContainer(Gauge.self, Basin.self)
    let filling = ModelContext(container)
    let rhine = Basin("Rhine")
    let elbe = Basin("Elbe")
    for (index, alarm) in [Alarm.amber, .crimson, nil, .amber, .amber].enumerated() {
      let gauge = Gauge("g\(index)", count: index, level: Double(index), alarm: alarm)
      gauge.basin = [rhine, elbe, rhine, nil, rhine][index]
      gauge.datum.name = index < 2 ? "low" : "high"
      filling.insert(gauge)
    }
    try filling.save()
    context = ModelContext(container)
  }

  @Test("are in the order of their keys, nil first, from one statement")
  func byEnumeration() throws {
    let before = container.executedStatementCount
    let groups = try context.groups(of: Gauge.self, by: \.alarm, .count, .maximum(\.level))
    #expect(container.executedStatementCount - before == 1)
    #expect(groups.map(\.key) == [nil, .amber, .crimson])
    #expect(groups.map(\.values.0) == [1, 3, 1])
    #expect(groups.map(\.values.1) == [2, 4, 1])
  }

  @Test("can be filtered, ordered by an aggregate and limited")
  func ordered() throws {
    let groups = try context.groups(
      of: Gauge.self, by: \.alarm, .sum(\.count), where: #Predicate { $0.count > 0 },
      sortBy: [.descending(.count), .key(.reverse)], limit: 2)
    #expect(groups.map(\.key) == [.amber, .crimson])
    #expect(groups.map(\.values) == [7, 1])
    let all = try context.groups(of: Gauge.self, by: \.isOpen, .count, limit: 0)
    #expect(all.isEmpty)
  }

  @Test("by a relationship have the models for keys")
  func byModel() throws {
    let before = container.executedStatementCount
    let groups = try context.groups(
      of: Gauge.self, by: \.basin, .count, sortBy: [.ascending(.count), .key()])
    #expect(groups.map(\.key?.name) == [nil, "Elbe", "Rhine"])
    #expect(groups.map(\.values) == [1, 1, 3])
    #expect(container.executedStatementCount - before == 2)
  }

  @Test("by a property behind a relationship, and by a member")
  func byPath() throws {
    let names = try context.groups(of: Gauge.self, by: \.basin?.name, .sum(\.count))
    #expect(names.map(\.key) == [nil, "Elbe", "Rhine"])
    #expect(names.map(\.values) == [3, 1, 6])
    let members = try context.groups(of: Gauge.self, by: \.datum.name, .count)
    #expect(members.map(\.key) == ["high", "low"])
    #expect(members.map(\.values) == [3, 2])
  }

  @Test("take equivalent texts for one, and NaN too")
  func equalKeys() throws {
    for name in ["é", "e\u{301}"] { context.insert(Gauge(name, level: .nan)) }
    for _ in 0..<2 {
      let names = try context.groups(
        of: Gauge.self, by: \.name, .count, sortBy: [.descending(.count)], limit: 1)
      #expect(names.map(\.key) == ["é"])
      #expect(names.map(\.values) == [2])
      let levels = try context.groups(of: Gauge.self, by: \.level, .count)
      #expect(levels.count == 6)
      #expect(levels.last?.key.isNaN == true)
      #expect(levels.last?.values == 2)
      try context.save()
    }
  }

  @Test("by values that SQL can't compare are computed from models")
  func inMemory() throws {
    let groups = try context.groups(of: Gauge.self, by: \.datum, .count)
    #expect(Set(groups.map(\.key.name)) == ["low", "high"])
    #expect(Set(groups.map(\.values)) == [2, 3])
    let initials = try context.groups(of: Gauge.self, by: \.name.first, .count)
    #expect(initials.map(\.key) == ["g"])
    #expect(initials.map(\.values) == [5])
  }
}
