import Foundation
import StoreTesting
import SwiftData
import SwiftDataExtras
import TestSupport
import Testing

/// Contexts that write changes of every kind at the same time, under all policies: afterwards, the models of each of
/// them have the store's values and links, those whose rows are gone are deleted ones, and live results equal a fetch.
///
/// A round can't be repeated exactly, because the order of the commits isn't chosen here; its message has the steps of
/// each context, and the store's history by contexts.
@Suite("Many contexts that write changes of every kind", .timeLimit(.minutes(20)))
struct RandomConvergenceTests {
  static let schema = Schema([
    Author.self, Book.self, Page.self, Label.self, Loan.self, Cover.self, Tour.self, Halt.self,
    Guide.self, Postcard.self, Branch.self, Shelf.self, Vehicle.self, Truck.self, Tanker.self,
    Bus.self, Valve.self, Garage.self,
  ])

  @Test("end with the store's contents, over two containers")
  func rounds() async throws {
    for seed in 0..<TestEnvironment.rounds(UInt64(16)) {
      let differences = try await round(seed)
      #expect(differences.isEmpty, "seed \(seed): \(differences.joined(separator: "\n"))")
      guard differences.isEmpty else { return }
    }
  }

  private func round(_ seed: UInt64) async throws -> [String] {
    let store = try TemporaryStore()
    let containers = try (0..<2).map { _ in try store.container(for: Self.schema) }
    try Self.fill(containers[0])
    let writers = (0..<4).map { RandomWriter(modelContainer: containers[$0 % 2]) }
    let lists = try containers.flatMap { try ObservedList.all(in: ModelContext($0)) }
    for (number, writer) in writers.enumerated() {
      try await writer.begin(seed * 4 + UInt64(number))
    }
    await withTaskGroup(of: Void.self) { group in
      for writer in writers { group.addTask { await writer.write(12) } }
    }
    let reading = ModelContext(try store.container(for: Self.schema))
    let stored = try WrittenModels.all(in: reading)
    var differences: [String] = []
    for (number, writer) in writers.enumerated() {
      let found = await writer.differences(from: stored)
      guard !found.isEmpty else { continue }
      differences += found.map { "context \(number): \($0)" }
      differences += await writer.log.map { "context \(number) did: \($0)" }
    }
    if !differences.isEmpty { differences += try Self.history(in: reading) }
    for list in lists {
      if let found = try await list.difference(from: reading) { differences.append(found) }
    }
    return differences
  }

  private static func history(in context: ModelContext) throws -> [String] {
    try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).map { transaction in
      let changes = transaction.changes.map { change in
        let sign =
          switch change {
          case .insert: "+"
          case .update: ""
          case .delete: "-"
          }
        let identifier = change.changedPersistentIdentifier
        return "\(sign)\(identifier.entityName) \(identifier.hashValue)"
      }
      let author = transaction.author ?? "a batch"
      return "transaction \(transaction.transactionIdentifier) of \(author): "
        + changes.joined(separator: ", ")
    }
  }

  private static func fill(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    let labels = (0..<3).map { Label("label \($0)") }
    for number in 0..<4 {
      let author = Author("author \(number)")
      context.insert(author)
      for place in 0..<2 {
        let book = Book("book \(number) \(place)", author: author)
        context.insert(book)
        book.labels = Array(labels.prefix(place + 1))
        book.pages = [Page(1), Page(2)]
        if place == 0 { book.cover = Cover("red") }
      }
    }
    context.insert(Branch("root", children: [Branch("left", children: [Branch("leaf")])]))
    for number in 0..<2 {
      let garage = Garage("garage \(number)")
      context.insert(garage)
      garage.vehicles = [Truck(plate: "\(number)", load: 1)]
      garage.vehicles.append(Bus(plate: "\(number + 4)", capacity: ""))
      let shelf = Shelf("shelf \(number)")
      context.insert(shelf)
      shelf.labels = [labels[number]]
      let tour = Tour("tour \(number)")
      context.insert(tour)
      tour.halts = (0..<3).map { Halt("halt \(number) \($0)") }
      tour.guides = [Guide("guide \(number)")]
      tour.postcards = [Postcard("postcard \(number)")]
    }
    try context.save()
  }
}

/// A live list, and the same fetch.
struct ObservedList {
  let name: String
  let identifiers: () -> [PersistentIdentifier]
  let fetch: (ModelContext) throws -> [PersistentIdentifier]

  private init<Model: PersistentModel>(
    _ name: String, _ predicate: Predicate<Model>?, by order: [SortDescriptor<Model>],
    limit: Int? = nil, in context: ModelContext
  ) throws {
    self.name = name
    var descriptor = FetchDescriptor<Model>(
      predicate: predicate, sortBy: order + [SortDescriptor(\.persistentModelID)])
    descriptor.fetchLimit = limit
    let observer = try ResultsObserver<Model, Never>(
      fetchDescriptor: descriptor, modelContext: context, isolation: nil)
    identifiers = { observer.results.map(\.persistentModelID) }
    fetch = { [descriptor] in try $0.fetch(descriptor).map(\.persistentModelID) }
  }

  /// Lists that depend on values and on relationships of every kind.
  static func all(in context: ModelContext) throws -> [ObservedList] {
    [
      try Self(
        "titles", #Predicate<Book> { _ in true }, by: [SortDescriptor(\.title)], in: context),
      try Self(
        "books of an author", #Predicate<Book> { $0.author?.name == "author 3" },
        by: [SortDescriptor(\.author?.name), SortDescriptor(\.title)], in: context),
      try Self(
        "books with a label", #Predicate<Book> { $0.labels.contains { $0.text == "label 1" } },
        by: [], in: context),
      try Self(
        "authors with several books", #Predicate<Author> { $0.books.count > 1 },
        by: [SortDescriptor(\.name)], in: context),
      try Self(
        "first pages", #Predicate<Page> { $0.book != nil },
        by: [SortDescriptor(\.number), SortDescriptor(\.book?.title)], limit: 3, in: context),
      try Self(
        "loans", #Predicate<Loan> { $0.book.author != nil }, by: [SortDescriptor(\.book.title)],
        in: context),
      try Self(
        "vehicles", #Predicate<Vehicle> { $0.garage != nil },
        by: [SortDescriptor(\.garage?.street), SortDescriptor(\.plate)], in: context),
      try Self(
        "halts", #Predicate<Halt> { _ in true }, by: [SortDescriptor(\.tour?.name)], in: context),
      try Self(
        "authors with a red cover",
        #Predicate<Author> { $0.books.contains { $0.cover?.colour == "red" } }, by: [],
        in: context),
    ]
  }

  /// The list where it isn't what a fetch returns. Another container's commits are noticed at an unspecified time.
  func difference(from context: ModelContext) async throws -> String? {
    let expected = try fetch(context)
    for _ in 0..<20_000 {
      if identifiers() == expected { return nil }
      await Task.yield()
    }
    return "\(name): \(identifiers().count) models, and \(expected.count) in the store"
  }
}
