import Foundation
import SwiftData

// In Swift 5 mode a model's constant is persisted, as with Apple's macro; the compiler warns about the accessors.

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

func receipts(since date: Date, in context: ModelContext) throws -> [Int] {
  let descriptor = FetchDescriptor<Receipt>(
    predicate: #Predicate { $0.issued >= date }, sortBy: [SortDescriptor(\.number)])
  return try context.fetch(descriptor).map(\.number)
}
