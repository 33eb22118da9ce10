import PostgresTesting
import Foundation
import SwiftData
import SwiftDataCore
import SwiftDataPostgres
import Testing

@Suite("Conflicts of saves on a server", .server)
struct PostgresConflictTests {
  private let container: ModelContainer
  private let context: ModelContext
  private let samples: [Sample]

  /// Three models, of which another context has changed the first one and deleted the second one since they were read.
  init() throws {
    let configuration = PostgresConfiguration(
      uniqueName("store"), url: try PostgresServer.shared.url)
    container = try ModelContainer(
      for: Schema([Sample.self, SampleGroup.self, Tag.self]), configurations: [configuration])
    let filling = ModelContext(container)
    for number in 0..<3 { filling.insert(Sample("\(number)", count: number)) }
    try filling.save()
    context = ModelContext(container)
    let sort = [SortDescriptor(\Sample.count)]
    samples = try context.fetch(FetchDescriptor<Sample>(sortBy: sort))
    for sample in samples { sample.note = "mine" }
    let other = ModelContext(container)
    let theirs = try other.fetch(FetchDescriptor<Sample>(sortBy: sort))
    theirs[0].note = "theirs"
    theirs[0].rank = 7
    other.delete(theirs[1])
    try other.save()
  }

  private func stored() throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Sample>(sortBy: [SortDescriptor(\.count)]))
      .map { "\($0.key) \($0.note ?? "-") \($0.rank ?? 0)" }
  }

  @Test(
    "are decided by the merge policy",
    arguments: [
      (MergePolicy.deletionTrump, ["0 mine 7", "2 mine 0"]),
      (.propertyObjectTrump, ["0 mine 7", "1 mine 0", "2 mine 0"]),
      (.propertyStoreTrump, ["0 theirs 7", "2 mine 0"]),
      (.overwrite, ["0 mine 0", "1 mine 0", "2 mine 0"]),
      (.rollback, ["0 theirs 7", "2 mine 0"]),
    ])
  func policies(policy: MergePolicy, rows: [String]) throws {
    context.mergePolicy = policy
    try context.save()
    #expect(try stored() == rows)
  }

  @Test("are errors where that is asked for, and nothing is written")
  func errors() throws {
    context.mergePolicy = .error
    do {
      try context.save()
      Issue.record("the save succeeded")
    } catch let error as MergeConflictError {
      #expect(error.conflicts.count == 2)
    }
    #expect(try stored() == ["0 theirs 7", "2 - 0"])
    context.rollback()
    #expect(try context.fetchCount(FetchDescriptor<Sample>()) == 2)
    #expect(
      try context.fetch(FetchDescriptor<Sample>(sortBy: [SortDescriptor(\.count)])).first?.note
        == "theirs")
  }
}
