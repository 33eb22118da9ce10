import Foundation
import SwiftData
import SwiftDataCore
import Testing

@testable import SwiftDataSQLite

@Suite("Large values with concurrent writers", .timeLimit(.minutes(20)))
struct SharedValueTests {
  /// Calls `meanwhile` when the first row has been read, and returns the number of rows.
  private static func read(
    _ container: ModelContainer, _ meanwhile: () throws -> Void
  ) throws -> Int {
    let store = try #require(container.core.stores.first as? DefaultStore)
    let plan = try #require(store.plans.first)
    let query = try store.prepare(StoreRequest<Parcel>(plan: plan))
    var seen = 0
    try query.statement.forEachRow { _, _ in
      if seen == 0 { try meanwhile() }
      seen += 1
    }
    return seen
  }

  private func place() throws -> ParcelPlace {
    let place = try ParcelPlace()
    let context = ModelContext(try place.container())
    for number in 0..<3 { context.insert(Parcel("\(number)", content: Parcel.large(number))) }
    try context.save()
    return place
  }

  private static func deleteAll(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    for parcel in try context.fetch(FetchDescriptor<Parcel>()) { context.delete(parcel) }
    try context.save()
  }

  @Test("stay while another container reads, unknown to the writer", arguments: [true, false])
  func containers(allowsSave: Bool) throws {
    let place = try place()
    let reader = try place.container(allowsSave: allowsSave)
    let writer = try place.container()
    let seen = try Self.read(reader) {
      try Self.deleteAll(writer)
      #expect(try place.values().count == 3)
    }
    #expect(seen == 3)
    let context = ModelContext(writer)
    context.insert(Parcel("next"))
    try context.save()
    #expect(try place.values().isEmpty)
  }

  @Test("stay while another process reads, until it is killed")
  func killedReader() async throws {
    let place = try place()
    let path = place.file.path
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let reader = try ParcelPlace.container(URL(filePath: path))
      _ = try Self.read(reader) {
        let writer = try ParcelPlace.container(URL(filePath: path))
        try Self.deleteAll(writer)
        kill(getpid(), SIGKILL)
      }
    }
    #expect(try place.values().count == 3)
    let context = ModelContext(try place.container())
    context.insert(Parcel("next"))
    try context.save()
    #expect(try place.values().isEmpty)
  }

  @Test("no fetch misses one while another process replaces them")
  func processes() async throws {
    let place = try place()
    let path = place.file.path
    async let child = #expect(processExitsWith: .success) { [path = path as String] in
      let context = ModelContext(try ParcelPlace.container(URL(filePath: path)))
      for round in 1...60 {
        for parcel in try context.fetch(FetchDescriptor<Parcel>()) {
          parcel.content = Parcel.large(round * 7 + (Int(parcel.name) ?? 0))
        }
        try context.save()
      }
      context.insert(Parcel("end"))
      try context.save()
    }
    let container = try place.container()
    var fetches = 0
    var isAtEnd = false
    // Parcels with a value of that length are complete.
    while !isAtEnd, fetches < 20_000 {
      let found = try ModelContext(container).fetch(FetchDescriptor<Parcel>())
      isAtEnd = found.contains { $0.name == "end" }
      #expect(found.allSatisfy { $0.name == "end" || $0.content.count >= 120_000 })
      fetches += 1
      await Task.yield()
    }
    _ = await child
    #expect(fetches > 0)
  }

  @Test("a row whose file has disappeared is read once more")
  func anew() throws {
    let place = try place()
    let reader = try place.container()
    let gone = try place.values()
    var names: [String] = []
    let store = try #require(reader.core.stores.first as? DefaultStore)
    let query = try store.prepare(StoreRequest<Parcel>(plan: try #require(store.plans.first)))
    try query.statement.forEachRow { _, row in
      if names.isEmpty {
        let context = ModelContext(try place.container())
        for parcel in try context.fetch(FetchDescriptor<Parcel>()) { parcel.content = Data([7]) }
        try context.save()
        // An earlier version of this library removes the files in this way.
        let folder = place.folder.appending(path: ".parcels.store_SUPPORT/external")
        for name in gone { try FileManager.default.removeItem(at: folder.appending(path: name)) }
      }
      names.append("\(row.rowID)")
    }
    #expect(names.count == 3)
  }
}
