import Foundation
import SwiftData

/// Something that happened to a mark or a visit, as the store's history has it.
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
  }

  /// The kind of event.
  public var kind: Kind
  /// The landmark; nil for a removed visit of which only that is known.
  public var landmarkID: Int?
  /// The date that the visit has now; nil for a mark, and for a visit that was cancelled or removed since.
  public var date: Date?
  /// The time of the event.
  public var made: Date
  /// Whether it was done on this device, rather than elsewhere.
  public var isOwn: Bool
}

extension LandmarkStore {
  /// The number of transactions that are read together.
  private static let activityPart: UInt64 = 500

  /// Returns what happened to marks and visits, latest first, as far back as the history is kept.
  ///
  /// The history has the changed properties, not their values. A property with two values has the other one before each
  /// change, so that what a change was follows from the changes after it.
  /// - Parameter limit: The maximum number of activities.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  public func activity(limit: Int = 100) throws -> [Activity] {
    try working("read") { context in
      var reader = ActivityReader(
        landmarks: try context.fetch(FetchDescriptor<StoredLandmark>()),
        visits: try context.fetch(FetchDescriptor<StoredReservation>()))
      var last = Int64.max
      while reader.activities.count < limit {
        let before = last
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
          predicate: #Predicate { $0.transactionIdentifier < before })
        descriptor.sortBy = [SortDescriptor(\.transactionIdentifier, order: .reverse)]
        descriptor.fetchLimit = Self.activityPart
        let transactions = try context.fetchHistory(descriptor)
        for transaction in transactions { reader.read(transaction) }
        guard let first = transactions.last else { break }
        last = first.transactionIdentifier
      }
      return Array(reader.activities.prefix(limit))
    }
  }
}

/// Reads transactions from the latest to the earliest.
private struct ActivityReader {
  private struct Visit {
    var landmarkID: Int?
    /// The date, if the visit takes place.
    var date: Date?
    /// Whether it was confirmed after the changes that are read next; nil when that isn't known.
    var isConfirmed: Bool?
  }

  private var marks: [PersistentIdentifier: (id: Int, isFavorite: Bool)]
  private var visits: [PersistentIdentifier: Visit]
  private(set) var activities: [Activity] = []

  init(landmarks: [StoredLandmark], visits: [StoredReservation]) {
    marks = Dictionary(
      landmarks.map { ($0.persistentModelID, ($0.remoteID, $0.isFavorite)) }
    ) { first, _ in first }
    self.visits = Dictionary(
      visits.map { model in
        let visit = model.toDomain()
        let isConfirmed = visit.status == .confirmed
        return (
          model.persistentModelID,
          Visit(
            landmarkID: visit.landmarkID, date: isConfirmed ? visit.date : nil,
            isConfirmed: isConfirmed)
        )
      }
    ) { first, _ in first }
  }

  mutating func read(_ transaction: DefaultHistoryTransaction) {
    for change in transaction.changes.reversed() {
      let id = change.changedPersistentIdentifier
      switch change {
      case .insert(is any HistoryInsert<StoredReservation>): add(.planned, id, transaction)
      case .update(let update as any HistoryUpdate<StoredLandmark>):
        let isMark = update.updatedAttributes.contains { $0 == \StoredLandmark.isFavorite }
        guard isMark, let mark = marks[id] else { continue }
        add(mark.isFavorite ? .marked : .unmarked, mark.id, nil, transaction)
        marks[id]?.isFavorite.toggle()
      case .update(let update as any HistoryUpdate<StoredReservation>):
        let properties = update.updatedAttributes
        if properties.contains(where: { $0 == \StoredReservation.status }),
          let isConfirmed = visits[id]?.isConfirmed
        {
          add(isConfirmed ? .booked : .cancelled, id, transaction)
          visits[id]?.isConfirmed = !isConfirmed
        } else if properties.contains(where: { $0 == \StoredReservation.date }) {
          add(.moved, id, transaction)
        }
        if properties.contains(where: { $0 == \StoredReservation.note }) {
          add(.noted, id, transaction)
        }
      case .delete(let deletion as any HistoryDelete<StoredReservation>):
        let status = deletion.tombstone[\.status] as? String
        visits[id] = Visit(
          landmarkID: deletion.tombstone[\.landmarkID] as? Int,
          isConfirmed: status.map { $0 == Reservation.Status.confirmed.rawValue })
        add(.removed, id, transaction)
      default: continue
      }
    }
  }

  private mutating func add(
    _ kind: Activity.Kind, _ id: PersistentIdentifier, _ transaction: DefaultHistoryTransaction
  ) {
    add(kind, visits[id]?.landmarkID, visits[id]?.date, transaction)
  }

  private mutating func add(
    _ kind: Activity.Kind, _ landmarkID: Int?, _ date: Date?,
    _ transaction: DefaultHistoryTransaction
  ) {
    // The application's contexts have no author; the exchange and the landmarks' refresh have.
    activities.append(
      Activity(
        kind: kind, landmarkID: landmarkID, date: date, made: transaction.timestamp,
        isOwn: transaction.author == nil))
  }
}
