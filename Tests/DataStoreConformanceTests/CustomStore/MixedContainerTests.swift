import DataStoreConformance
import Foundation
import SwiftData
import SwiftDataExtras
import Synchronization
import TestSupport
import Testing

@testable import SwiftDataCore

@Suite("A container with stores of several kinds")
struct MixedContainerTests {
  let folder: TemporaryFolder
  let file: URL
  let container: ModelContainer

  init() throws {
    folder = try TemporaryFolder()
    file = folder.newFile("json")
    container = try ModelContainer(
      for: Note.self, Score.self,
      configurations: ModelConfiguration(
        "scores", schema: Schema([Score.self]), isStoredInMemoryOnly: true),
      JSONFileConfiguration(name: "notes", schema: Schema([Note.self]), fileURL: file))
  }

  @Test("keeps each model in the store that its configuration names")
  func places() throws {
    let context = ModelContext(container)
    let note = Note("a", in: Folder("f"))
    let score = Score("p", points: 3)
    context.insert(note)
    context.insert(score)
    try context.save()
    #expect(
      score.persistentModelID.storeIdentifier
        == container.storeIdentifier(forConfigurationNamed: "scores"))
    #expect(
      note.persistentModelID.storeIdentifier
        == container.storeIdentifier(forConfigurationNamed: "notes"))
    let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    #expect(text.contains("\"text\" : \"a\""))
    #expect(!text.contains("points"))
    let reading = ModelContext(container)
    #expect(try reading.fetch(FetchDescriptor<Note>()).map(\.folder?.name) == ["f"])
    #expect(try reading.fetch(FetchDescriptor<Score>()).map(\.points) == [3])
    #expect(container.configurations.map(\.name) == ["scores"])
  }

  @Test("edits and deletes in all of them with one save")
  func oneSave() throws {
    let context = ModelContext(container)
    let note = Note("a")
    let score = Score("p", points: 3)
    context.insert(note)
    context.insert(score)
    try context.save()
    note.text = "b"
    context.delete(score)
    try context.save()
    let reading = ModelContext(container)
    #expect(try reading.fetch(FetchDescriptor<Note>()).map(\.text) == ["b"])
    #expect(try reading.fetchCount(FetchDescriptor<Score>()) == 0)
  }

  @Test("keeps all changes when one store fails, and saves them with the next save")
  func oneFails() throws {
    let failing = DictionaryConfiguration(name: "failing", schema: Schema([Note.self]))
    let container = try ModelContainer(
      for: Note.self, Score.self,
      configurations: ModelConfiguration(
        "scores", schema: Schema([Score.self]), isStoredInMemoryOnly: true), failing)
    let context = ModelContext(container)
    context.insert(Note("a"))
    context.insert(Score("p", points: 3))
    failing.place.nextFailure = DataStoreError.unsupportedFeature
    #expect(throws: DataStoreError.unsupportedFeature) { try context.save() }
    #expect(context.insertedModelsArray.count == 2)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Score>()) == 0)
    try context.save()
    #expect(!context.hasChanges)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Score>()) == 1)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 1)
  }

  @Test("a save over several lets go of the other stores while another thread uses the custom one")
  func order() throws {
    let adapters = container.core.stores.compactMap { $0 as? CustomStoreAdapter<JSONFileStore> }
    let adapter = try #require(adapters.first)
    let container = self.container
    let moments = Mutex<[String]>([])
    let context = ModelContext(container)
    context.insert(Note("a"))
    context.insert(Score("p", points: 3))
    try JointSaveProbe.install(
      reached: { moment in
        let isFirst = moments.withLock { moments in
          moments.append(moment)
          return moments.count == 1
        }
        guard isFirst else { return }
        let isInUse = DispatchSemaphore(value: 0)
        // Code that the custom store calls saves to the other store.
        Thread.detachNewThread {
          adapter.lock.withLock {
            isInUse.signal()
            let other = ModelContext(container)
            other.insert(Score("q", points: 4))
            do { try other.save() } catch { Issue.record(error) }
          }
        }
        isInUse.wait()
      }, { try context.save() })
    #expect(moments.withLock { $0 } == ["prepared scores", "prepared scores", "committing scores"])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Score>()) == 2)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 1)
  }

  @Test("a save over several doesn't keep the custom store while it waits for another one")
  func waiting() throws {
    let container = self.container
    let results = Mutex<[String]>([])
    let isSaved = DispatchSemaphore(value: 0)
    var count = 0
    try container.batchInsert(next: { () -> Score? in
      count += 1
      guard count < 3 else { return nil }
      if count == 2 {
        Thread.detachNewThread {
          let context = ModelContext(container)
          context.insert(Note("a"))
          context.insert(Score("p", points: 3))
          do { try context.save() } catch { results.withLock { $0.append("\(error)") } }
          isSaved.signal()
        }
        // It begins to wait for the batch meanwhile.
        for _ in 0..<1_000 { _ = try ModelContext(container).fetchCount(FetchDescriptor<Note>()) }
      }
      return Score("\(count)", points: count)
    })
    isSaved.wait()
    #expect(results.withLock { $0 } == [])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Score>()) == 3)
  }

  @Test("a store of one file is found again by the next container")
  func reopening() throws {
    let context = ModelContext(container)
    let note = Note("a", in: Folder("f"))
    context.insert(note)
    try context.save()
    let again = try ModelContainer(
      for: Schema([Note.self]),
      configurations: [JSONFileConfiguration(name: "notes", fileURL: file)])
    let reading = ModelContext(again)
    let found = try #require(try reading.fetch(FetchDescriptor<Note>()).first)
    #expect(found.persistentModelID == note.persistentModelID)
    #expect(found.folder?.name == "f")
  }

  @Test(
    "a deletion by predicate looks at stored values, also where the store leaves it to the context")
  func deletion() throws {
    let context = ModelContext(container)
    let notes = [Note("a", rank: 1), Note("b", rank: 5)]
    for note in notes { context.insert(note) }
    try context.save()
    notes[0].rank = 7
    notes[1].rank = 2
    try context.delete(model: Note.self, where: #Predicate { $0.rank > 3 })
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Note>()).map(\.text) == ["a"])
  }

  @Test("a damaged file is an error, not an empty store")
  func damagedFile() throws {
    try Data("[{]".utf8).write(to: file)
    #expect(throws: DecodingError.self) {
      try ModelContext(container).fetch(FetchDescriptor<Note>())
    }
  }

  @Test("two configurations of one name are refused, of any kinds")
  func duplicates() {
    #expect(throws: SwiftDataError.duplicateConfiguration) {
      try ModelContainer(
        for: Note.self,
        configurations: ModelConfiguration("x", isStoredInMemoryOnly: true),
        DictionaryConfiguration(name: "x"))
    }
  }

  @Test("computes aggregates of other stores from models, and refuses SQL for them")
  func beyondApple() throws {
    let context = ModelContext(container)
    for rank in 1...3 { context.insert(Note("n\(rank)", rank: rank)) }
    context.insert(Score("p", points: 7))
    try context.save()
    let reading = ModelContext(container)
    #expect(try reading.sum(of: \Note.rank, where: #Predicate { $0.rank > 1 }) == 5)
    #expect(
      try reading.groups(of: Note.self, by: \.text, .sum(\.rank)).map(\.values) == [1, 2, 3])
    let explanation = try reading.explain(FetchDescriptor<Note>())
    #expect(explanation.sql == nil)
    #expect(explanation.inMemory.map(\.work) == [.store])
    let error = #expect(throws: SQLQueryError.self) {
      try reading.rows(sql: "SELECT 1 FROM \(table: Note.self)", as: Int.self)
    }
    #expect(error?.code == .notSQLite)
    #expect(try reading.rows(sql: "SELECT points FROM \(table: Score.self)", as: Int.self) == [7])
    #expect(try reading.rows(sql: "SELECT 1", as: Int.self, configuration: "scores") == [1])
  }
}
