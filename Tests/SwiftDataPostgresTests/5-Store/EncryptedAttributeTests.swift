import Foundation
import PostgresTesting
import SwiftData
import SwiftDataCore
import SwiftDataExtras
import SwiftDataPostgres
import Testing

@Suite("Encrypted attributes on a server", .server)
struct EncryptedAttributeTests {
  private var configuration: PostgresConfiguration

  init() throws {
    configuration = PostgresConfiguration(
      uniqueName("secrets"), url: try PostgresServer.shared.url)
    configuration.encryptionKey = EncryptionKey()
  }

  private func context() throws -> ModelContext {
    ModelContext(
      try ModelContainer(for: Schema([Secret.self]), configurations: [configuration]))
  }

  @Test("are ciphertext on the server, and values here")
  func values() throws {
    let context = try context()
    for number in 0..<100 {
      context.insert(Secret("s\(number)", "the text \(number)", number == 0 ? nil : number))
    }
    try context.save()
    let other = try self.context()
    let all = try other.fetch(FetchDescriptor<Secret>())
    #expect(all.count == 100 && all.allSatisfy { $0.text == "the text \($0.name.dropFirst())" })
    #expect(all.allSatisfy { $0.data == Data($0.text.utf8) })
    #expect(all.count { $0.number == nil } == 1)
    let wanted = "the text 7"
    let found = try other.fetch(
      FetchDescriptor<Secret>(predicate: #Predicate { $0.text == wanted }))
    #expect(found.map(\.name) == ["s7"])
    let rows = try PostgresServer.shared.connect().run(
      "SELECT count(*) FROM \"\(configuration.databaseSchema)\".\"Secret\""
        + " WHERE position(convert_to('text', 'UTF8') IN text) > 0")
    #expect(rows.integer(0, 0) == 0)
  }

  @Test("are updated, compared and unique")
  func changes() throws {
    let context = try context()
    context.insert(Secret("a", "one", 1))
    try context.save()
    let editing = try self.context()
    let secret = try #require(try editing.fetch(FetchDescriptor<Secret>()).first)
    secret.text = "two"
    secret.number = nil
    try editing.save()
    // A model with a known code is the same one.
    let again = Secret("b", "three", 3)
    again.code = "code of a"
    editing.insert(again)
    try editing.save()
    let all = try self.context().fetch(FetchDescriptor<Secret>())
    #expect(all.map(\.name) == ["b"] && all.map(\.text) == ["three"])
    editing.mergePolicy = .error
    let stale = try self.context()
    stale.mergePolicy = .error
    let copy = try #require(try stale.fetch(FetchDescriptor<Secret>()).first)
    let own = try #require(try editing.fetch(FetchDescriptor<Secret>()).first)
    own.text = "four"
    try editing.save()
    copy.plain = "five"
    #expect(throws: MergeConflictError.self) { try stale.save() }
  }

  @Test("batches encrypt, too")
  func batches() throws {
    let container = try context().container
    try container.batchInsert(
      (0..<200).map { (number: Int) in
        Secret("s\(number)", "t\(number)", number)
      })
    let again = try container.batchInsert(
      (0..<200).map { (number: Int) in
        Secret("s\(number)", number < 10 ? "new" : "t\(number)", number)
      })
    #expect(again.updated == 10 && again.unchanged == 190)
    let count = try container.batchUpdate(Secret.self) { $0.set(\.text, to: "same") }
    #expect(count == 200)
    let all = try ModelContext(container).fetch(FetchDescriptor<Secret>())
    #expect(all.allSatisfy { $0.text == "same" })
  }

  @Test("need their key")
  func keys() throws {
    let context = try context()
    context.insert(Secret("a", "one"))
    try context.save()
    for key in [nil, EncryptionKey()] {
      var wrong = configuration
      wrong.encryptionKey = key
      do {
        _ = try ModelContainer(for: Schema([Secret.self]), configurations: [wrong])
        Issue.record("a store was opened without its key")
      } catch let error as StoreError {
        #expect(error.code == (key == nil ? .missingKey : .wrongKey))
      }
    }
  }
}
