import Foundation
import StoreTesting
import SwiftData
import SwiftDataExtras
import TestSupport

/// The models of a context, as text.
struct WrittenModels {
  /// The text of each model, by its identifier.
  static func all(in context: ModelContext) throws -> [PersistentIdentifier: String] {
    var texts: [PersistentIdentifier: String] = [:]
    func add<Model: PersistentModel>(_ type: Model.Type) throws {
      for model in try context.fetch(FetchDescriptor<Model>()) {
        texts[model.persistentModelID] = text(model)
      }
    }
    for type in RandomConvergenceTests.schema.types { try add(type) }
    return texts
  }

  private static func one(_ model: (any PersistentModel)?) -> String {
    model.map { "\($0.persistentModelID.entityName) \($0.persistentModelID.hashValue)" } ?? "-"
  }

  private static func set(_ models: [any PersistentModel]) -> String {
    "{\(models.map { one($0) }.sorted().joined(separator: ", "))}"
  }

  private static func list(_ models: [any PersistentModel]) -> String {
    "[\(models.map { one($0) }.joined(separator: ", "))]"
  }

  private static func vehicle(_ vehicle: Vehicle) -> String {
    "\(vehicle.plate) \(vehicle.wheels) \(one(vehicle.garage))"
  }

  static func text(_ model: any PersistentModel) -> String {
    switch model {
    case let author as Author: "author \(author.name) \(set(author.books))"
    case let book as Book:
      "book \(book.title) \(one(book.author)) \(set(book.labels)) \(set(book.pages ?? []))"
        + " \(set(book.loans)) \(one(book.cover))"
    case let page as Page: "page \(page.number) \(one(page.book))"
    case let label as Label: "label \(label.text) \(set(label.books))"
    case let loan as Loan: "loan \(loan.reader) \(one(loan.book))"
    case let cover as Cover: "cover \(cover.colour) \(one(cover.book))"
    case let tour as Tour:
      "tour \(tour.name) \(list(tour.halts)) \(list(tour.guides)) \(list(tour.postcards))"
    case let halt as Halt: "halt \(halt.name) \(one(halt.tour))"
    case let guide as Guide: "guide \(guide.name) \(list(guide.tours))"
    case let postcard as Postcard: "postcard \(postcard.name)"
    case let branch as Branch: "branch \(branch.name) \(one(branch.parent)) \(set(branch.children))"
    case let shelf as Shelf: "shelf \(shelf.name) \(set(shelf.books)) \(set(shelf.labels ?? []))"
    case let tanker as Tanker:
      "tanker \(vehicle(tanker)) \(tanker.load) \(tanker.liquid) \(set(tanker.valves))"
    case let truck as Truck: "truck \(vehicle(truck)) \(truck.load)"
    case let bus as Bus: "bus \(vehicle(bus)) \(bus.capacity)"
    case let other as Vehicle: vehicle(other)
    case let valve as Valve: "valve \(valve.number) \(one(valve.tanker))"
    case let garage as Garage:
      "garage \(garage.street) \(set(garage.vehicles)) \(one(garage.guarded))"
    default: "\(model)"
    }
  }
}

@ModelActor
actor RandomWriter {
  private static let policies: [MergePolicy] = [
    .error, .deletionTrump, .propertyObjectTrump, .propertyStoreTrump, .overwrite, .rollback,
  ]

  private var generator = SeededGenerator(seed: 0)
  /// All models that the writer has ever had.
  private var held: [any PersistentModel] = []
  private(set) var log: [String] = []
  private var savedCount = 0
  private var number = 0

  func begin(_ seed: UInt64) throws {
    generator = SeededGenerator(seed: seed)
    modelContext.author = "context \(seed % 4)"
    try hold()
  }

  /// Holds all models, and loads their links.
  private func hold() throws {
    func add<Model: PersistentModel>(_ type: Model.Type) throws {
      held += try modelContext.fetch(FetchDescriptor<Model>())
    }
    for type in RandomConvergenceTests.schema.types { try add(type) }
    for model in held where isLive(model) { _ = WrittenModels.text(model) }
  }

  private func isLive(_ model: any PersistentModel) -> Bool {
    !model.isDeleted && model.modelContext != nil
  }

  private func one<Model: PersistentModel>(_ type: Model.Type) -> Model? {
    let models = held.compactMap { $0 as? Model }.filter { isLive($0) }
    return models.isEmpty ? nil : generator.one(of: models)
  }

  /// Changes and saves several times.
  func write(_ saves: Int) {
    for _ in 0..<saves {
      let policy = generator.one(of: Self.policies)
      modelContext.mergePolicy = policy
      do {
        for _ in 0...generator.below(3) { try change() }
        try modelContext.save()
        log.append("save \(policy)")
        savedCount += 1
      } catch {
        log.append("refused \(policy): \(error)")
        modelContext.rollback()
      }
    }
  }

  private func insert<Model: PersistentModel>(_ model: Model) -> Model {
    modelContext.insert(model)
    held.append(model)
    return model
  }

  private func name() -> String {
    number += 1
    return "\(generator.state % 1_000) \(number)"
  }

  private func change() throws {
    let kind = generator.below(32)
    log.append("\(kind)")
    switch kind {
    case 0, 1: one(Book.self)?.title = name()
    case 2: one(Book.self)?.author = generator.chance(0.2) ? nil : one(Author.self)
    case 3:
      guard let author = one(Author.self), let book = one(Book.self) else { return }
      if !author.books.contains(book) { author.books.append(book) }
    case 4, 5:
      guard let label = one(Label.self), let book = one(Book.self) else { return }
      if let place = label.books.firstIndex(of: book) {
        label.books.remove(at: place)
      } else {
        label.books.append(book)
      }
    case 6: one(Book.self)?.pages?.append(insert(Page(generator.below(9))))
    case 7: if let page = one(Page.self) { modelContext.delete(page) }
    case 8: one(Book.self)?.cover = generator.chance(0.3) ? nil : insert(Cover(name()))
    case 9: if let book = one(Book.self) { modelContext.delete(book) }
    case 10: _ = insert(Author("author \(generator.below(6))"))
    case 11: if let author = one(Author.self) { modelContext.delete(author) }
    case 12:
      let book = insert(Book(name(), author: one(Author.self)))
      if let label = one(Label.self) { book.labels = [label] }
    case 13: if let book = one(Book.self) { _ = insert(Loan(name(), book)) }
    case 14: if let loan = one(Loan.self) { modelContext.delete(loan) }
    case 15:
      guard let tour = one(Tour.self) else { return }
      tour.halts.insert(insert(Halt(name())), at: generator.below(tour.halts.count + 1))
    case 16:
      guard let tour = one(Tour.self) else { return }
      tour.halts.shuffle(using: &generator)
      if let guide = one(Guide.self), !tour.guides.contains(guide) { tour.guides.append(guide) }
    case 17:
      guard let guide = one(Guide.self) else { return }
      guide.tours.shuffle(using: &generator)
    case 18:
      guard let tour = one(Tour.self), !tour.halts.isEmpty else { return }
      modelContext.delete(tour.halts[generator.below(tour.halts.count)])
    case 19:
      let text = name()
      let title = one(Book.self)?.title ?? ""
      try modelContainer.batchUpdate(Book.self, where: #Predicate { $0.title == title }) {
        $0.set(\.title, to: text)
      }
    case 20:
      try modelContainer.batchInsert(
        [Author("author \(generator.below(6))"), Author("author \(6 + generator.below(3))")])
    case 21: try hold()
    case 22...25: changeWithoutEnds(kind)
    default: changeVehicles(kind)
    }
  }

  /// Changes models of one class that lead to each other, and relationships without an inverse.
  private func changeWithoutEnds(_ kind: Int) {
    switch kind {
    case 22:
      let branch = insert(Branch(name()))
      branch.parent = one(Branch.self)
    case 23:
      // A leaf: branches that are moved below their own descendants would be in no tree.
      guard let leaf = one(Branch.self), leaf.children.isEmpty else { return }
      leaf.parent = held.lazy.compactMap { $0 as? Branch }.first { $0.name == "root" }
    case 24:
      guard let branch = one(Branch.self), branch.name != "root" else { return }
      modelContext.delete(branch)
    default:
      guard let shelf = one(Shelf.self), let book = one(Book.self) else { return }
      if let place = shelf.books.firstIndex(of: book) {
        shelf.books.remove(at: place)
      } else {
        shelf.books.append(book)
      }
    }
  }

  /// Changes models of a hierarchy of classes, whose unique plates may be those of another class.
  private func changeVehicles(_ kind: Int) {
    let plate = "\(generator.below(8))"
    switch kind {
    case 26: _ = insert(Truck(plate: plate, load: Double(generator.below(40))))
    case 27:
      let tanker = insert(Tanker(plate: plate, liquid: name()))
      tanker.valves = [Valve(generator.below(9))]
    case 28: _ = insert(Bus(plate: plate, capacity: name()))
    case 29: if let vehicle = one(Vehicle.self) { modelContext.delete(vehicle) }
    case 30:
      if generator.chance(0.5) {
        one(Vehicle.self)?.garage = generator.chance(0.2) ? nil : one(Garage.self)
      } else {
        one(Garage.self)?.guarded = generator.chance(0.2) ? nil : one(Truck.self)
      }
    default:
      one(Vehicle.self)?.wheels = generator.below(20)
      one(Tanker.self)?.liquid = name()
    }
  }

  /// The models that aren't as the store has them.
  func differences(from stored: [PersistentIdentifier: String]) -> [String] {
    modelContext.processPendingChanges()
    var differences = savedCount < 2 ? ["\(savedCount) saves succeeded"] : []
    var seen: Set<PersistentIdentifier> = []
    for model in held {
      let identifier = model.persistentModelID
      guard isLive(model) else {
        if model.modelContext != nil, let text = stored[identifier] {
          differences.append("deleted, and stored as \(text)")
        }
        continue
      }
      guard seen.insert(identifier).inserted else { continue }
      let text = WrittenModels.text(model)
      if text != stored[identifier] {
        differences.append("\(text), and stored as \(stored[identifier] ?? "nothing")")
      }
    }
    return differences
  }
}
