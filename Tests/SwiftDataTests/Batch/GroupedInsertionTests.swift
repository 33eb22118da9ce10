import Foundation
import SwiftData
import SwiftDataCore
import SwiftDataExtras
import Testing

/// One statement inserts several new rows. The stored rows must be the same as with one statement
/// for each row.
@Suite("Insertions of many rows at once")
struct GroupedInsertionTests {
  private func quakes(_ container: ModelContainer) throws -> [String] {
    let found = try ModelContext(container).fetch(FetchDescriptor<Quake>())
    let rows = found.map { quake in
      "\(StoreKind.tested.numbered(quake.persistentModelID)) \(quake.code) \(quake.magnitude)"
    }
    return StoreKind.tested == .sqlite ? rows : rows.sorted()
  }

  @Test(
    "give the same as single insertions, with existing and repeated keys",
    // A server answers each of the single models.
    arguments: 0..<StoreKind.rounds(40))
  func sameAsSingly(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let keys = [20, 60, 1_000].randomElement(using: &random) ?? 20
    func some(_ count: Int) -> [(code: String, magnitude: Double)] {
      (0..<count).map { _ in
        (
          "\(Int.random(in: 0..<keys, using: &random))",
          Double.random(in: 0..<3, using: &random).rounded()
        )
      }
    }
    let stored = some([0, 5, 40].randomElement(using: &random) ?? 0)
    let arriving = some(Int.random(in: 1..<400, using: &random))
    let (single, grouped, saved) = (
      try TemporaryStore(), try TemporaryStore(), try TemporaryStore()
    )
    var summaries: [BatchUpsert<Quake>.Summary] = []
    for (number, store) in [single, grouped, saved].enumerated() {
      let container = try store.container(Quake.self)
      let first = try BatchUpsert<Quake>(container)
      for (code, magnitude) in stored { try first.upsert(Quake(code: code, magnitude: magnitude)) }
      try first.commit()
      switch number {
      case 0:
        let batch = try BatchUpsert<Quake>(container)
        for (code, magnitude) in arriving {
          try batch.upsert(Quake(code: code, magnitude: magnitude))
        }
        summaries.append(try batch.commit())
      case 1:
        summaries.append(
          try container.batchInsert(arriving.lazy.map { Quake(code: $0, magnitude: $1) }))
      default:
        let context = ModelContext(container)
        for (code, magnitude) in arriving {
          context.insert(Quake(code: code, magnitude: magnitude))
        }
        try context.save()
      }
    }
    #expect(summaries[0] == summaries[1])
    func content(_ store: TemporaryStore) throws -> [String] {
      try quakes(try store.container(Quake.self))
    }
    func lastChanges(_ store: TemporaryStore) throws -> [String] {
      let last = try ModelContext(store.container(Quake.self)).history().last
      let changes = StoreKind.tested == .sqlite ? last?.summary : last?.unnumberedSummary
      return changes?.sorted() ?? []
    }
    #expect(try content(grouped) == content(single))
    #expect(try content(saved) == content(single))
    #expect(try lastChanges(grouped) == lastChanges(single))
    // On a server, a save writes only the last of several models for one row.
    guard StoreKind.tested == .sqlite else { return }
    #expect(try lastChanges(saved) == lastChanges(single))
  }

  @Test("take a statement for sixteen rows or so")
  func statements() throws {
    let store = try TemporaryStore()
    let container = try store.container(Quake.self)
    let context = ModelContext(container)
    for number in 0..<160 { context.insert(Quake(code: "\(number)")) }
    let (_, statements) = try container.recordingStatements { try context.save() }
    #expect(statements.count { $0.sql.hasPrefix("INSERT") } < 30)
    #expect(try quakes(container).count == 160)
  }

  @Test("give each model its own row, and report existing ones")
  func identities() throws {
    let store = try TemporaryStore()
    let container = try store.container(Quake.self)
    try container.batchInsert((0..<50).lazy.map { Quake(code: "\($0 * 3)") })
    let context = ModelContext(container)
    let models = (0..<150).map { Quake(code: "\($0)", magnitude: 2) }
    for model in models { context.insert(model) }
    let told = Told()
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { told.note($0) }
    defer { NotificationCenter.default.removeObserver(observer) }
    try context.save()
    #expect(told.inserted == 100)
    #expect(told.updated == 50)
    let other = ModelContext(container)
    for model in models {
      let found = other.model(for: model.persistentModelID) as? Quake
      #expect(found?.code == model.code)
    }
  }

  @Test(
    "are made one by one when another program has a trigger",
    .enabled(if: StoreKind.tested == .sqlite, "has a trigger in SQLite's SQL"))
  func triggers() throws {
    let store = try TemporaryStore()
    let container = try store.container(Quake.self)
    try store.execute("CREATE TABLE once (code TEXT UNIQUE)")
    try store.execute(
      "CREATE TRIGGER noting AFTER INSERT ON Quake BEGIN INSERT INTO once VALUES (new.code % 40); END"
    )
    let context = ModelContext(container)
    // One row, and four complete groups: no row is left over that would be written individually.
    for number in 0..<65 { context.insert(Quake(code: "\(number)")) }
    #expect(throws: StoreError.self) { try context.save() }
    #expect(try quakes(container).isEmpty)
    #expect(try store.value("SELECT count(*) FROM once") == "0")
  }

  @Test("leave pending models to their own context")
  func otherContexts() throws {
    let store = try TemporaryStore()
    let container = try store.container(Author.self, Shelf.self, Branch.self)
    let (one, other) = (ModelContext(container), ModelContext(container))
    let book = Book("1")
    one.insert(book)
    let author = Author("A")
    other.insert(author)
    book.author = author
    #expect(throws: SwiftDataError.self) { try one.save() }
    try other.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Author>()) == 1)
  }

  @Test("of models that refer to each other find their destinations, in any order")
  func graph() throws {
    let store = try TemporaryStore()
    let container = try store.container(Author.self, Shelf.self, Branch.self)
    let context = ModelContext(container)
    let authors = (0..<40).map { Author("\($0)") }
    let books = (0..<200).map { Book("\($0)", author: authors[$0 % 40]) }
    for book in books.reversed() { context.insert(book) }
    let root = Branch(
      "root", children: (0..<40).map { Branch("\($0)", children: [Branch("leaf")]) })
    context.insert(root)
    try context.save()
    let other = ModelContext(container)
    let read = try other.fetch(FetchDescriptor<Book>())
    #expect(read.count == 200)
    for book in read { #expect(book.author?.name == "\((Int(book.title) ?? 0) % 40)") }
    let found = try other.fetch(
      FetchDescriptor<Branch>(predicate: #Predicate { $0.name == "root" }))
    #expect(found.first?.children.count == 40)
    for branch in found.first?.children ?? [] { #expect(branch.children.count == 1) }
  }

  @Test("that fail leave the models without rows, and the next save writes them")
  func failure() throws {
    let store = try TemporaryStore()
    let container = try store.container(Author.self, Shelf.self, Branch.self)
    let context = ModelContext(container)
    let branches = (0..<40).map { Branch("\($0)") }
    for branch in branches { context.insert(branch) }
    let author = Author("A")
    let book = Book("1", author: author)
    context.insert(book)
    let loan = Loan("reader", book)
    context.insert(loan)
    try context.save()
    for number in 40..<80 { context.insert(Branch("\(number)")) }
    context.delete(book)
    #expect(throws: SwiftDataError.self) { try context.save() }
    for model in context.insertedModelsArray { #expect(model.persistentModelID.isTemporary) }
    context.delete(loan)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Branch>()) == 80)
  }
}

/// The counts in the notification of a save.
private final class Told: @unchecked Sendable {
  // Unchecked: saves post notifications synchronously.
  private(set) var inserted = 0
  private(set) var updated = 0

  func note(_ notification: Notification) {
    func count(_ key: ModelContext.NotificationKey) -> Int {
      (notification.userInfo?[key.rawValue] as? [PersistentIdentifier])?.count ?? 0
    }
    inserted += count(.insertedIdentifiers)
    updated += count(.updatedIdentifiers)
  }
}
