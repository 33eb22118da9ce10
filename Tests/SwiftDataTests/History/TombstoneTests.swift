import SwiftData
import Testing

@Suite("A tombstone")
struct TombstoneTests {
  private func tombstone(_ context: ModelContext) throws -> HistoryTombstone<Invoice> {
    let change = try #require(try context.history().last?.changes.first)
    guard case .delete(let deletion) = change,
      let deletion = deletion as? DefaultHistoryDelete<Invoice>
    else { throw SwiftDataError.unknownSchema }
    return deletion.tombstone
  }

  @Test("has the preserved values of a deleted model, and no others")
  func values() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Invoice.self))
    let invoice = Invoice(7, customer: "Ünï", town: "Oslo", colour: .green)
    invoice.amount = 5
    context.insert(invoice)
    try context.save()
    context.delete(invoice)
    try context.save()
    let tombstone = try tombstone(context)
    #expect(tombstone[\.number] as? Int == 7)
    #expect(tombstone[\.customer] as? String == "Ünï")
    #expect(tombstone[\.address] as? Address == Address(town: "Oslo", zip: 7))
    #expect(tombstone[\.colour] as? Colour == .green)
    #expect(tombstone[\.amount] == nil)
    #expect(tombstone.map { "\($0)" }.prefix(2) == ["7", "Ünï"])
    #expect(Array(tombstone).count == 4)
  }

  @Test("leaves out nil")
  func absentValues() throws {
    let context = ModelContext(try memoryContainer(Invoice.self))
    let invoice = Invoice(1)
    context.insert(invoice)
    try context.save()
    context.delete(invoice)
    try context.save()
    let tombstone = try tombstone(context)
    #expect(tombstone[\.customer] == nil)
    #expect(Array(tombstone).count == 3)
  }

  @Test("has the values of encrypted properties in the open, while the file has not")
  func encrypted() throws {
    let store = try TemporaryStore()
    let context = ModelContext(
      try store.container(Secret.self, encryptionKey: EncryptionKey()))
    let secret = Secret("hidden")
    context.insert(secret)
    try context.save()
    context.delete(secret)
    try context.save()
    let change = try #require(try context.history().last?.changes.first)
    guard case .delete(let deletion as DefaultHistoryDelete<Secret>) = change else {
      throw SwiftDataError.unknownSchema
    }
    #expect(deletion.tombstone[\.text] as? String == "hidden")
    let kept = try store.values(
      "SELECT \(StoreKind.tested.digits(of: "changes")) FROM _history_change")
    #expect(kept.count == 2)
    // The digits of "hidden".
    #expect(kept.allSatisfy { $0?.contains("68696464656E") == false })
  }
}

@Model
final class Secret {
  @Attribute(.allowsCloudEncryption, .preserveValueOnDeletion) var text: String

  init(_ text: String) { self.text = text }
}
