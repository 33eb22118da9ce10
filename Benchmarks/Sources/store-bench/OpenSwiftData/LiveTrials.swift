import BenchmarkSupport
import Foundation
import SwiftData
import SwiftDataExtras

/// W12: a live list of all rows while batches of a hundred rows arrive.
enum LiveTrials {
  private static let batches = 20
  private static let size = 100

  /// Returns the rows that arrive in addition to those of the store.
  private static func arriving(_ rows: Int) -> [[QuakeRow]] {
    let all = QuakeRows(rows + batches * size, seed: 1).dropFirst(rows)
    return (0..<batches).map { Array(all.dropFirst($0 * size).prefix(size)) }
  }

  /// Follows the store with an observer.
  static let observer = Trial("quakes-swiftdata") { place in
    let container = try SwiftDataTrials.container(place)
    let rows = arriving(place.rows)
    let list = try await Live(container)
    return Run(reading: { try await list.follow(rows) })
  }

  /// Fetches the first page and the count again after each batch.
  static let refetch = Trial("quakes-raw") { place in
    let database = try RawDatabase(place.file)
    let rows = arriving(place.rows)
    let page = try database.prepare(RawQuakes.selection + " ORDER BY time DESC LIMIT 100")
    let all = try database.prepare("SELECT id FROM quake ORDER BY time DESC")
    return Run(reading: {
      var sum = Checksum()
      for batch in rows {
        try RawQuakes.insert(batch, into: database, RawQuakes.insertion)
        var identifiers: [Int] = []
        while try all.step() { identifiers.append(all.int(0)) }
        all.reset()
        var quakes: [PlainQuake] = []
        while try page.step() { quakes.append(PlainQuake(page)) }
        page.reset()
        sum.add(identifiers.count)
        for quake in quakes { sum.add(quake.row) }
      }
      return sum
    })
  }

  @MainActor
  private final class Live {
    private let container: ModelContainer
    private let list: ResultsObserver<Quake, Never>

    init(_ container: ModelContainer) throws {
      self.container = container
      list = try ResultsObserver(
        sortBy: [SortDescriptor(\.time, order: .reverse)], modelContext: container.mainContext)
    }

    func follow(_ rows: [[QuakeRow]]) async throws -> Checksum {
      var sum = Checksum()
      var expected = list.results.count
      for batch in rows {
        try container.batchInsert(batch.lazy.map(Quake.init))
        expected += batch.count
        while list.results.count < expected { await change() }
        sum.add(list.results.count)
        for quake in list.results.prefix(100) { sum.add(quake) }
      }
      return sum
    }

    private func change() async {
      let (changes, continuation) = AsyncStream<Void>.makeStream()
      withObservationTracking {
        _ = list.results.count
      } onChange: {
        continuation.yield()
      }
      for await _ in changes { break }
      await Task.yield()
    }
  }
}
