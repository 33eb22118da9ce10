import Foundation
import SwiftData

/// Something that happened to a mark, a visit or a photo of one, as the store's history has it.
public struct Activity: Hashable, Sendable {
  /// The kind of event.
  public enum Kind: String, Sendable {
    /// A landmark was marked as a favorite.
    case marked
    /// A favorite mark was removed.
    case unmarked
    /// A visit was planned.
    case planned
    /// A visit was moved to another date.
    case moved
    /// A visit was cancelled.
    case cancelled
    /// A cancelled visit was booked again.
    case booked
    /// The note of a visit was changed.
    case noted
    /// A visit was removed from the list.
    case removed
    /// A photo was added to a visit.
    case photoAdded
    /// The caption of a photo was changed.
    case captioned
    /// A photo was removed from a visit that stayed.
    case photoRemoved
  }

  /// The kind of event.
  public var kind: Kind
  /// The landmark; nil when only that is known of a removed visit, or of a photo whose visit was removed.
  public var landmarkID: Int?
  /// The visit, which may have been removed since; nil for a mark, and for a photo of which no more is known.
  public var reservationID: UUID?
  /// The date that the visit has now; nil for a mark, for a photo, and for a visit that was cancelled or removed since.
  public var date: Date?
  /// The time of the event.
  public var made: Date
  /// Whether it was done on this device, rather than elsewhere.
  public var isOwn: Bool
}

extension LandmarkStore {
  /// The number of transactions that are read together.
  private static let activityPart: UInt64 = 500

  /// Returns what happened to marks, visits and their photos, latest first, as far back as the history is kept.
  ///
  /// The history has the changed properties, not their values. A property with two values has the other one before each
  /// change, so that what a change was follows from the changes after it. Only the models that the activities are about
  /// are read.
  /// - Parameter limit: The maximum number of activities.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  public func activity(limit: Int = 100) throws -> [Activity] {
    try working("read") { context in
      var reader = ActivityReader(limit: limit)
      var last = Int64.max
      while reader.activities.count < limit {
        let before = last
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
          predicate: #Predicate { $0.transactionIdentifier < before })
        descriptor.sortBy = [SortDescriptor(\.transactionIdentifier, order: .reverse)]
        descriptor.fetchLimit = Self.activityPart
        let transactions = try context.fetchHistory(descriptor)
        try reader.read(transactions, context)
        guard let first = transactions.last else { break }
        last = first.transactionIdentifier
      }
      return reader.activities
    }
  }
}
