import SwiftData
import SwiftDataCore
import TestSupport
import Testing

@Suite("The same steps on stores of every kind")
struct DifferentialTests {
  /// The kinds of stores. The others are compared with the first.
  private static let kinds = ["default", "default behind an adapter", "dictionary", "JSON file"]

  private func container(_ kind: String, _ folder: TemporaryFolder) throws -> ModelContainer {
    let schema = Schema([Note.self])
    let memory = ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
    switch kind {
    case "default": return try ModelContainer(for: schema, configurations: memory)
    case "default behind an adapter":
      let store = try CustomStoreAdapter<DefaultStore>(
        memory, schema: schema, migrationPlan: nil)
      return ModelContainer(schema: schema, migrationPlan: nil, stores: [store])
    case "dictionary":
      let configuration = DictionaryConfiguration(name: "d")
      configuration.place.bringsRelated = true
      return try ModelContainer(for: Note.self, configurations: configuration)
    default:
      return try ModelContainer(
        for: Note.self,
        configurations: JSONFileConfiguration(name: "j", fileURL: folder.newFile("json")))
    }
  }

  @Test(
    "leave the same models and relationships", arguments: 1...TestEnvironment.rounds(UInt64(24)))
  func sameOutcome(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    var results: [String: [String]] = [:]
    for kind in Self.kinds {
      let steps = RandomSteps(container: try container(kind, folder), seed: seed)
      results[kind] = try steps.run(steps: 80)
    }
    let expected = try #require(results[Self.kinds[0]])
    #expect(expected.count > 5)
    for kind in Self.kinds.dropFirst() {
      let found = try #require(results[kind])
      #expect(found.count == expected.count)
      if let step = zip(expected, found).map(!=).firstIndex(of: true) {
        Issue.record("seed \(seed), \(kind), \(step): \(found[step]) instead of \(expected[step])")
      }
    }
  }
}

/// Random edits of notes and folders, the same for the same seed.
private final class RandomSteps {
  private let container: ModelContainer
  private var context: ModelContext
  private var random: SeededGenerator
  private var notes: [Note] = []
  private var folders: [Folder] = []
  private var names = 0

  init(container: ModelContainer, seed: UInt64) {
    self.container = container
    context = ModelContext(container)
    random = SeededGenerator(seed: seed)
  }

  /// - Returns: The contents as a new context reads them after every save.
  func run(steps: Int) throws -> [String] {
    var seen: [String] = []
    for _ in 0..<steps {
      switch random.below(12) {
      case 0...2: insert()
      case 3: edit()
      case 4, 5: move()
      case 6: relist()
      case 7: if let note = pick(notes) { context.delete(note) }
      case 8: if let folder = pick(folders) { context.delete(folder) }
      case 9: if random.below(3) == 0 { rollBack() }
      case 10:
        try reopen()
        seen.append(try stored())
      default:
        try context.save()
        seen.append(try stored())
      }
      notes.removeAll(where: \.isDeleted)
      folders.removeAll(where: \.isDeleted)
    }
    try context.save()
    return seen + [try stored()]
  }

  private func pick<Model>(_ models: [Model]) -> Model? {
    models.isEmpty ? nil : models[random.below(models.count)]
  }

  private func name() -> String {
    names += 1
    return "\(names)"
  }

  private func insert() {
    if random.below(3) == 0 {
      let folder = Folder(name())
      folder.notes = (0..<random.below(3)).map { _ in Note(name()) }
      notes += folder.notes
      context.insert(folder)
      folders.append(folder)
    } else {
      let note = Note(name(), rank: random.below(9))
      note.folder = random.below(2) == 0 ? pick(folders) : nil
      context.insert(note)
      notes.append(note)
    }
  }

  private func edit() {
    let rank = random.below(100)
    pick(notes)?.rank = rank
  }

  private func move() {
    let folder = random.below(4) == 0 ? nil : pick(folders)
    pick(notes)?.folder = folder
  }

  private func relist() {
    guard let folder = pick(folders) else { return }
    if random.below(2) == 0, let note = pick(notes) {
      folder.notes.append(note)
    } else {
      let kept = Set(folder.notes.map(\.text).sorted().prefix(1))
      folder.notes.removeAll { !kept.contains($0.text) }
    }
  }

  private func rollBack() {
    context.rollback()
    notes.removeAll { $0.modelContext == nil }
    folders.removeAll { $0.modelContext == nil }
  }

  /// Continues with a new context.
  private func reopen() throws {
    try context.save()
    context = ModelContext(container)
    notes = try context.fetch(FetchDescriptor<Note>()).sorted { $0.text < $1.text }
    folders = try context.fetch(FetchDescriptor<Folder>()).sorted { $0.name < $1.name }
  }

  private func stored() throws -> String {
    let reading = ModelContext(container)
    let notes = try reading.fetch(FetchDescriptor<Note>())
      .map { "\($0.text)=\($0.rank)@\($0.folder?.name ?? "-")" }
    let folders = try reading.fetch(FetchDescriptor<Folder>())
      .map { "\($0.name):\($0.notes.map(\.text).sorted())" }
    return (notes.sorted() + folders.sorted()).joined(separator: " ")
  }
}
