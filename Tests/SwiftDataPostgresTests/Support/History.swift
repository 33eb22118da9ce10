import Foundation
import SwiftData
import SwiftDataCore

/// The models of the tests that have several containers.
let serverSchema = Schema([Sample.self, SampleGroup.self, Tag.self, Bill.self])

/// A model that preserves some of its values on deletion.
@Model
final class Bill {
  @Attribute(.unique, .preserveValueOnDeletion) var number: Int
  @Attribute(.preserveValueOnDeletion) var customer: String?
  @Attribute(.preserveValueOnDeletion) var price: Decimal
  @Attribute(.preserveValueOnDeletion) var place: Place
  var paid = false

  init(_ number: Int, customer: String?, price: Decimal) {
    self.number = number
    self.customer = customer
    self.price = price
    place = Place(latitude: Double(number), longitude: -Double(number))
  }
}

typealias Transactions = HistoryDescriptor<DefaultHistoryTransaction>

extension ModelContext {
  /// Returns the whole history.
  func history() throws -> [DefaultHistoryTransaction] { try fetchHistory(Transactions()) }

  func history(
    _ predicate: Predicate<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    try fetchHistory(Transactions(predicate: predicate))
  }
}

extension DefaultHistoryTransaction {
  /// The changes as text, such as `update Tag name`.
  var summary: [String] {
    changes.map { change in
      let entity = change.changedPersistentIdentifier.entityName
      switch change {
      case .insert: return "insert \(entity)"
      case .delete: return "delete \(entity)"
      case .update(let update):
        return "update \(entity) \(Self.names(update).joined(separator: ","))"
      }
    }
  }

  private static func names<Update: HistoryUpdate>(_ update: Update) -> [String] {
    Update.Model.schemaMetadata.filter { property in
      update.updatedAttributes.contains { $0 as AnyKeyPath == property.keypath }
    }.map(\.name)
  }
}
