import Foundation
import SwiftData
import SwiftDataCore
import SwiftDataSQLite
import Testing

@Suite(
  "A save over two stores that only one has is reported",
  .enabled(if: StoreKind.tested == .sqlite, "is about files"))
struct TornSaveTests {
  private struct Failure: Error {}

  @Test(
    "when a commit fails after another one, exactly the stored changes are adopted and reported")
  func failingCommit() throws {
    let store = try TemporaryStore()
    let container = try store.pair()
    let context = ModelContext(container)
    let saves = Notices(ModelContext.didSave, of: context)
    let (tally, mark) = (Tally("a"), CountMark("a"))
    context.insert(tally)
    context.insert(mark)
    let error = #expect(throws: SwiftDataError.self) {
      try JointSaveProbe.install(reached: { moment in
        if moment.hasPrefix("committing") { throw Failure() }
      }) { try context.save() }
    }
    #expect(error == .incompleteSave)
    let stored = try context.names()
    #expect(stored == ["a"])
    #expect(saves.count == 1)
    let isTally = context.insertedModelsArray.contains { $0 is CountMark }
    #expect(saves.last?["inserted"] == [isTally ? tally.persistentModelID : mark.persistentModelID])
    #expect(context.insertedModelsArray.count == 1)
    let incomplete = try #require(try container.incompleteSaves().first)
    #expect(incomplete.committed == [isTally ? "tallies" : "marks"])
    #expect(incomplete.missing == [isTally ? "marks" : "tallies"])
    #expect(incomplete.date != nil)
    // The other changes are still pending. Saving them takes one store only, so the torn save stays recorded until it
    // is settled.
    try context.save()
    #expect(try context.names() == ["a", "a"])
    #expect(try container.incompleteSaves().count == 1)
    try container.settleIncompleteSaves()
    #expect(try container.incompleteSaves().isEmpty)
  }

  @Test("when a store refuses before the first commit, nothing is torn")
  func failingPreparation() throws {
    let store = try TemporaryStore()
    let container = try store.pair()
    let context = ModelContext(container)
    context.insert(Tally("a"))
    context.insert(CountMark("a"))
    #expect(throws: Failure.self) {
      try JointSaveProbe.install(reached: { moment in
        if moment.hasPrefix("prepared") { throw Failure() }
      }) { try context.save() }
    }
    #expect(try context.names() == [])
    #expect(try container.incompleteSaves().isEmpty)
    try context.save()
    #expect(try context.names() == ["a", "a"])
    #expect(try container.incompleteSaves().isEmpty)
  }

  @Test("a program that ends between the commits is found at the next opening")
  func killed() async throws {
    let store = try TemporaryStore()
    let before = ModelContext(try store.pair())
    before.insert(Tally("before"))
    before.insert(CountMark("before"))
    try before.save()
    let path = store.folder.path
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let context = ModelContext(try TemporaryStore.pair(URL(filePath: path)))
      context.insert(Tally("torn"))
      context.insert(CountMark("torn"))
      try JointSaveProbe.install(reached: { moment in
        if moment.hasPrefix("committing") { kill(getpid(), SIGKILL) }
      }) { try context.save() }
    }
    let container = try store.pair()
    let found = try container.incompleteSaves()
    #expect(found.count == 1)
    #expect(
      Set((found.first?.committed ?? []) + (found.first?.missing ?? [])) == ["tallies", "marks"])
    let names = try before.names()
    #expect(names.filter { $0 == "torn" }.count == 1)
    // After the next save of both stores, they agree.
    let context = ModelContext(container)
    let isMissingTally = try context.tally("torn") == nil
    if isMissingTally { context.insert(Tally("torn")) } else { context.insert(CountMark("torn")) }
    try #require(try context.tally("before")).value = 1
    try #require(try context.mark("before")).value = 1
    try context.save()
    #expect(try store.pair().incompleteSaves().isEmpty)
    #expect(try context.names() == ["before", "torn", "before", "torn"])
  }

  @Test("an older copy in the place of one of the files is found")
  func olderCopy() throws {
    let store = try TemporaryStore()
    func save(_ name: String) throws {
      let context = ModelContext(try store.pair())
      context.insert(Tally(name))
      context.insert(CountMark(name))
      try context.save()
    }
    func file(_ name: String) -> URL { store.folder.appending(path: name) }
    try save("a")
    try FileManager.default.copyItem(at: file("marks.store"), to: file("copy"))
    try save("b")
    #expect(try store.pair().incompleteSaves().isEmpty)
    for suffix in ["", "-wal", "-shm"] {
      let path = file("marks.store" + suffix)
      if FileManager.default.fileExists(atPath: path.path) {
        try FileManager.default.removeItem(at: path)
      }
    }
    try FileManager.default.moveItem(at: file("copy"), to: file("marks.store"))
    let found = try store.pair().incompleteSaves()
    #expect(found.map(\.missing) == [["marks"]])
  }

  @Test("a store opened without its partner isn't judged", arguments: [1, 2])
  func alone(_ saves: Int) throws {
    let store = try TemporaryStore()
    for number in 0..<saves {
      let context = ModelContext(try store.pair())
      context.insert(Tally("\(number)"))
      context.insert(CountMark("\(number)"))
      try context.save()
    }
    let alone = try ModelContainer(
      for: Tally.self,
      configurations: ModelConfiguration(url: store.folder.appending(path: "tallies.store")))
    #expect(try alone.incompleteSaves().isEmpty)
    try alone.settleIncompleteSaves()
    let context = ModelContext(alone)
    context.insert(Tally("more"))
    try context.save()
    #expect(try store.pair().incompleteSaves().isEmpty)
  }

  @Test("an invalid mark is ignored without an error")
  func strangeMarks() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.pair())
    context.insert(Tally("a"))
    context.insert(CountMark("a"))
    try context.save()
    let file = try SQLiteFile(store.folder.appending(path: "tallies.store"))
    for value in ["''", "NULL", "x'00ff'", "1e999", "-9223372036854775808", "'x nan'"] {
      try file.run("UPDATE _metadata SET value = \(value) WHERE key LIKE 'joint.%'")
      let found = try store.pair().incompleteSaves()
      #expect(found.count == 1)
    }
    try file.run("INSERT INTO _metadata (key, value) VALUES ('joint.', 'x'), ('joint.,', 'y')")
    #expect(try store.pair().incompleteSaves().count == 1)
  }
}
