import SwiftDataSync
import Testing

@Suite("An entry whose agreement lacks a property")
struct SyncEntryTests {
  private func entry(_ values: SyncValues?, version: Int64? = 1) -> SyncEntry {
    SyncEntry(
      values: values,
      record: SyncRecord(version: version, base: version.map { _ in ["name": .text("a")] }),
      initial: ["name": .text(""), "note": .null])
  }

  @Test("isn't edited with the initial value") func initial() {
    #expect(!entry(["name": .text("a"), "note": .null]).isEdited)
    #expect(entry(["name": .text("a"), "note": .text("x")]).isEdited)
    #expect(entry(["name": .text(""), "note": .null]).isEdited)
    #expect(entry(nil).isEdited)
  }

  @Test("doesn't speak of the initial value") func sent() {
    #expect(entry(["name": .text(""), "note": .null]).sent == ["name": .text("")])
    let mine: SyncValues = ["name": .text("a"), "note": .text("x")]
    #expect(entry(mine).sent == mine)
    #expect(entry(nil).sent == nil)
    // A new object has all values.
    let new: SyncValues = ["name": .text(""), "note": .null]
    #expect(entry(new, version: nil).sent == new)
  }

  @Test("knows its change in both forms") func isSent() {
    let object = SyncObjectID("Park", "1")
    func change(_ content: SyncChange.Content) -> SyncChange {
      SyncChange(id: "id", object: object, content: content, baseVersion: 1)
    }
    let entry = entry(["name": .text("b"), "note": .null])
    #expect(entry.isSent(by: change(.put(["name": .text("b")]))))
    #expect(entry.isSent(by: change(.put(["name": .text("b"), "note": .null]))))
    #expect(!entry.isSent(by: change(.put(["name": .text("c")]))))
    #expect(!entry.isSent(by: change(.delete)))
  }
}
