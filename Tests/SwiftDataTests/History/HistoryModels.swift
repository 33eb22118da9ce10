import SwiftData
import SwiftDataCore

/// A model that preserves some of its values on deletion.
@Model
final class Invoice {
  @Attribute(.unique, .preserveValueOnDeletion) var number: Int
  @Attribute(.preserveValueOnDeletion) var customer: String?
  @Attribute(.preserveValueOnDeletion) var address: Address
  @Attribute(.preserveValueOnDeletion) var colour: Colour
  var amount: Double = 0

  init(_ number: Int, customer: String? = nil, town: String = "", colour: Colour = .red) {
    self.number = number
    self.customer = customer
    address = Address(town: town, zip: number)
    self.colour = colour
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
  /// The changes as text, such as `insert Author 1`.
  var summary: [String] {
    changes.map { change in
      let identifier = change.changedPersistentIdentifier
      let row = "\(identifier.entityName) \(identifier.rowID ?? 0)"
      switch change {
      case .insert: return "insert \(row)"
      case .delete: return "delete \(row)"
      case .update(let update): return "update \(row) \(Self.names(update).joined(separator: ","))"
      }
    }
  }

  /// The changes as text without the numbers of rows, such as `insert Author`.
  var unnumberedSummary: [String] {
    summary.map { change in
      change.split(separator: " ").enumerated().filter { $0.offset != 2 }.map(\.element)
        .joined(separator: " ")
    }
  }

  private static func names<Update: HistoryUpdate>(_ update: Update) -> [String] {
    update.updatedAttributes.map { keyPath in
      Update.Model.schemaMetadata.first { $0.keypath == keyPath as AnyKeyPath }?.name ?? "unknown"
    }
  }
}
