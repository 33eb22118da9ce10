import Foundation
import SwiftData
import Testing

/// Code that is accepted in Swift 5 mode and not in Swift 6 mode.
@Suite("Models in Swift 5 mode")
struct ConstantPropertyTests {
  @Model
  final class Receipt {
    @Attribute(.unique) let number: Int
    let id: UUID = UUID()
    let issued: Date
    let note: String?
    var total: Double

    init(number: Int, issued: Date, note: String?, total: Double) {
      self.number = number
      self.issued = issued
      self.note = note
      self.total = total
    }
  }

  @Test("A constant is persisted, fetched and found by a predicate")
  func roundTrip() throws {
    let container = try ModelContainer(
      for: Receipt.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let issued = Date(timeIntervalSinceReferenceDate: 700_000_000.25)
    let context = ModelContext(container)
    let receipt = Receipt(number: 7, issued: issued, note: nil, total: 12.5)
    let id = receipt.id
    context.insert(receipt)
    context.insert(Receipt(number: 8, issued: issued + 1, note: "late", total: 1))
    try context.save()

    let other = ModelContext(container)
    let found = try other.fetch(
      FetchDescriptor<Receipt>(predicate: #Predicate { $0.id == id && $0.number == 7 }))
    #expect(found.map(\.number) == [7])
    #expect(found.first?.id == id)
    #expect(found.first?.issued == issued)
    #expect(found.first?.note == nil)
    let late = try other.fetch(
      FetchDescriptor<Receipt>(predicate: #Predicate { $0.note == "late" }))
    #expect(late.map(\.number) == [8])
  }

  @Test("A unique constant decides which row an insertion updates")
  func upsert() throws {
    let container = try ModelContainer(
      for: Receipt.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    context.insert(Receipt(number: 7, issued: .distantPast, note: nil, total: 1))
    try context.save()
    context.insert(Receipt(number: 7, issued: .distantFuture, note: "again", total: 2))
    try context.save()
    let stored = try ModelContext(container).fetch(FetchDescriptor<Receipt>())
    #expect(stored.map(\.total) == [2])
    #expect(stored.first?.note == "again")
  }
}
