import Foundation
import PostgresTesting
import SwiftData
import SwiftDataExtras
import Testing

@Suite("Queries of one shape on a server", .server)
struct ReusedQueryTests {
  private let context: ModelContext

  init() throws {
    let container = try Railway.container()
    let filling = ModelContext(container)
    for number in 0..<6 {
      let station = Station("s\(number)", number)
      station.mark = number.isMultiple(of: 2) ? "even" : nil
      filling.insert(station)
    }
    try filling.save()
    context = ModelContext(container)
  }

  private func codes(marked mark: String?) throws -> [String] {
    try context.fetch(
      FetchDescriptor<Station>(
        predicate: #Predicate { $0.mark == mark },
        sortBy: [SortDescriptor(\.code, comparator: .lexical)])
    ).map(\.code)
  }

  @Test("take other values, nil, and texts that the server can't hold")
  func values() throws {
    for _ in 0..<2 {
      #expect(try codes(marked: "even") == ["s0", "s2", "s4"])
      #expect(try codes(marked: nil) == ["s1", "s3", "s5"])
      #expect(try codes(marked: "odd").isEmpty)
      #expect(try codes(marked: "a\0b").isEmpty)
    }
  }

  @Test("differ in limits, orders and compared properties")
  func shapes() throws {
    for limit in [2, 3, 2] {
      var descriptor = FetchDescriptor<Station>(sortBy: [SortDescriptor(\.level, order: .reverse)])
      descriptor.fetchLimit = limit
      #expect(
        try context.fetch(descriptor).map(\.level) == [1.25, 1, 0.75].prefix(limit).map { $0 })
    }
    for least in [0.5, 1, 1.25] {
      let above = try context.fetchCount(
        FetchDescriptor<Station>(predicate: #Predicate { $0.level >= least }))
      let below = try context.fetchCount(
        FetchDescriptor<Station>(predicate: #Predicate { $0.level < least }))
      #expect(above == 6 - Int(least * 4) && below == Int(least * 4))
    }
  }
}
