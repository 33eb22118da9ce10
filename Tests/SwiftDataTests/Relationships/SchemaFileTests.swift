import SwiftData
import Testing

@Suite("A schema in a file")
struct SchemaFileTests {
  @Test("is unchanged after reading and writing, with types unknown to the reader")
  func rewriting() throws {
    let store = try TemporaryStore()
    let first = store.folder.appending(path: "first.json")
    let second = store.folder.appending(path: "second.json")
    try Schema([Book.self, Shelf.self]).save(to: first)
    try Schema.load(from: first).save(to: second)
    let written = try String(contentsOf: first, encoding: .utf8)
    #expect(written.contains("Array<Label>?") && written.contains("Author?"))
    #expect(try String(contentsOf: second, encoding: .utf8) == written)
  }

  @Test("has the type that a relationship was given after it was read")
  func newType() throws {
    let coder = JSONEncoder()
    let relationship = Schema.Relationship()
    relationship.valueType = [Book].self
    let read = try JSONDecoder().decode(
      Schema.Relationship.self, from: try coder.encode(relationship))
    read.valueType = [Label].self
    let text = String(decoding: try coder.encode(read), as: UTF8.self)
    #expect(text.contains("Array<Label>") && !text.contains("Book"))
  }
}
