import Foundation
import SwiftData
import SwiftDataExtras
import SwiftDataSQLite

/// Uses a store in all the ways that a program would, each regardless of the results of the others.
final class Exercise {
  /// The values of the store's models at the first reading; nil if any of them could not be read.
  private(set) var rows: String?
  /// The thrown errors that don't belong to the framework.
  private(set) var strangers: [String] = []
  /// The refusals by errors of the framework.
  private(set) var refusals: [String] = []
  private let file: URL

  init(_ file: URL) { self.file = file }

  func run() {
    attempt("preview") { try preview() }
    rows = attempt("open") { try open() } ?? nil
    attempt("open again") { try openAgain() }
    attempt("read only") {
      _ = try describe(ModelContext(try Museum.open(file, allowsSave: false)))
    }
  }

  private func preview() throws {
    let configuration = Museum.configuration(file)
    for schema in [Museum.schema, Later.schema] {
      _ = try ModelContainer.migrationPreview(for: schema, configuration: configuration).description
    }
  }

  private func open() throws -> String? {
    let container = try Museum.open(file)
    let context = ModelContext(container)
    let rows = attempt("describe") { try describe(context) }
    attempt("search") {
      _ = try context.fetch(
        FetchDescriptor<Relic>(
          predicate: #Predicate { $0.title.localizedStandardContains("relic of") }))
      _ = try context.fetchCount(
        FetchDescriptor<Relic>(predicate: #Predicate { $0.x > 1 && $0.x < 4 && $0.y < 0 }))
    }
    attempt("history") { try history(context) }
    attempt("consumers") {
      _ = try container.historyConsumers()
      _ = try container.registerHistoryConsumer("reader")
    }
    attempt("insert") {
      let relic = Relic("new", rank: 1)
      context.insert(relic)
      relic.shards = [Shard(9)]
      try context.save()
    }
    context.rollback()
    attempt("update") {
      for relic in try context.fetch(FetchDescriptor<Relic>()) {
        relic.title += "!"
        relic.rank &+= 1
        relic.shards.reverse()
      }
      try context.save()
    }
    context.rollback()
    attempt("delete") {
      if let relic = try context.fetch(FetchDescriptor<Relic>()).first { context.delete(relic) }
      try context.delete(model: Hall.self, where: #Predicate { $0.name == "south" })
      try context.save()
    }
    context.rollback()
    attempt("delete history") {
      try context.deleteHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author == "one" }))
    }
    return rows
  }

  private func openAgain() throws {
    let context = ModelContext(try Museum.open(file))
    attempt("describe again") { _ = try describe(context) }
    attempt("history again") { try history(context) }
    attempt("save again") {
      context.insert(Keeper(name: "late"))
      try context.save()
    }
    context.rollback()
    attempt("delete all history") {
      try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    }
    attempt("save after that") {
      context.insert(Keeper(name: "later"))
      try context.save()
    }
  }

  private func history(_ context: ModelContext) throws {
    let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    for transaction in transactions {
      for case .delete(let change) in transaction.changes {
        _ = (change as? DefaultHistoryDelete<Relic>)?.tombstone[\.code]
      }
    }
    guard let token = transactions.first?.token else { return }
    do {
      _ = try context.fetchHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token }))
    } catch SwiftDataError.historyTokenExpired {
      // Single transactions were deleted, so this error is expected.
    }
    _ = try context.fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(
        predicate: #Predicate { $0.token >= token && $0.author == "three" }))
  }

  /// Returns all values of all models.
  private func describe(_ context: ModelContext) throws -> String {
    var lines: [String] = []
    for relic in try context.fetch(FetchDescriptor<Relic>()) {
      lines.append(
        "\(relic.code) \(relic.rank) \(relic.x) \(relic.y) \(relic.made) \(relic.number)"
          + " \(relic.title) \(relic.image.hashValueOfBytes) \(relic.secret)"
          + " \(relic.spot?.hall ?? "-") \(relic.spot?.shelf ?? -1) \(relic.tags)"
          + " \(relic.shards.map(\.weight)) \(relic.halls.map(\.name).sorted())"
          + " \(relic.keeper?.name ?? "-")")
    }
    for keeper in try context.fetch(FetchDescriptor<Keeper>()) {
      lines.append("\(keeper.name) \((keeper as? Chief).map { "\($0.salary)" } ?? "-")")
    }
    for hall in try context.fetch(FetchDescriptor<Hall>()) {
      lines.append("\(hall.name) \(hall.relics.map(\.code).sorted())")
    }
    return lines.sorted().joined(separator: "\n")
  }

  @discardableResult
  private func attempt<Result>(_ name: String, _ body: () throws -> Result) -> Result? {
    do { return try body() } catch {
      note(error, name)
      return nil
    }
  }

  private func note(_ error: any Error, _ name: String) {
    switch error {
    case is StoreError, is SwiftDataError, is MigrationError, is SchemaError, is RowDecodingError,
      is MergeConflictError, is DataStoreError, is SQLQueryError:
      refusals.append("\(name): \(error)")
    default: strangers.append("\(name): \(type(of: error)) \(error)")
    }
  }
}

extension Data {
  /// A checksum that distinguishes different bytes (FNV-1a, by words of eight bytes: values are large, and this program
  /// may not be optimised).
  fileprivate var hashValueOfBytes: UInt64 {
    withUnsafeBytes { bytes in
      var sum: UInt64 = 0xcbf2_9ce4_8422_2325
      var place = 0
      while place + 8 <= bytes.count {
        sum = (sum ^ bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)) &* 0x100_0000_01b3
        sum ^= sum >> 29
        place += 8
      }
      while place < bytes.count {
        sum = (sum ^ UInt64(bytes[place])) &* 0x100_0000_01b3
        place += 1
      }
      return sum
    }
  }
}
