import Foundation
import SwiftData

/// Something that happened to a mark or a visit, as the store's history has it.
public struct Activity: Hashable, Sendable {
  public enum Kind: String, Sendable {
    case marked, unmarked, planned, moved, cancelled, booked, removed
  }

  public var kind: Kind
  /// The landmark; nil for a removed visit of which only that is known.
  public var landmarkID: Int?
  /// The date that the visit has now; nil for a mark, and for a removed visit.
  public var date: Date?
  public var made: Date
  /// Whether it was done on this device, rather than elsewhere.
  public var isOwn: Bool
}

extension LandmarkStore {
  /// Returns what happened to marks and visits, latest first, as far back as the history is kept.
  ///
  /// The history has the changed properties, not their values. A property with two values has the other one before each
  /// change, so that what a change was follows from the changes after it.
  /// - Parameter limit: The maximum number of activities.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  public func activity(limit: Int = 100) throws -> [Activity] {
    try working("read") { context in
      var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
      descriptor.sortBy = [SortDescriptor(\.transactionIdentifier, order: .reverse)]
      var reader = ActivityReader(
        landmarks: try context.fetch(FetchDescriptor<StoredLandmark>()),
        visits: try context.fetch(FetchDescriptor<StoredReservation>()))
      for transaction in try context.fetchHistory(descriptor) {
        reader.read(transaction)
        if reader.activities.count >= limit { break }
      }
      return Array(reader.activities.prefix(limit))
    }
  }
}

/// Reads transactions from the latest to the earliest.
private struct ActivityReader {
  private var marks: [PersistentIdentifier: (id: Int, isFavorite: Bool)]
  private var visits: [PersistentIdentifier: (visit: Reservation, isConfirmed: Bool)]
  /// The landmarks of removed visits.
  private var removed: [PersistentIdentifier: Int] = [:]
  private(set) var activities: [Activity] = []

  init(landmarks: [StoredLandmark], visits: [StoredReservation]) {
    marks = Dictionary(
      landmarks.map { ($0.persistentModelID, ($0.remoteID, $0.isFavorite)) }
    ) { first, _ in first }
    self.visits = Dictionary(
      visits.map { model in
        let visit = model.toDomain()
        return (model.persistentModelID, (visit, visit.status == .confirmed))
      }
    ) { first, _ in first }
  }

  mutating func read(_ transaction: DefaultHistoryTransaction) {
    // The application's contexts have no author; the exchange and the landmarks' refresh have.
    let isOwn = transaction.author == nil
    func activity(_ kind: Activity.Kind, _ landmarkID: Int?, _ date: Date? = nil) -> Activity {
      Activity(
        kind: kind, landmarkID: landmarkID, date: date, made: transaction.timestamp, isOwn: isOwn)
    }
    for change in transaction.changes.reversed() {
      let id = change.changedPersistentIdentifier
      switch change {
      case .insert(is any HistoryInsert<StoredReservation>):
        let landmark = visits[id]?.visit.landmarkID ?? removed[id]
        activities.append(activity(.planned, landmark, visits[id]?.visit.date))
      case .update(let update as any HistoryUpdate<StoredLandmark>):
        let isMark = update.updatedAttributes.contains { $0 == \StoredLandmark.isFavorite }
        guard isMark, let mark = marks[id] else { continue }
        activities.append(activity(mark.isFavorite ? .marked : .unmarked, mark.id))
        marks[id]?.isFavorite.toggle()
      case .update(let update as any HistoryUpdate<StoredReservation>):
        let hasStatus = update.updatedAttributes.contains { $0 == \StoredReservation.status }
        let hasDate = update.updatedAttributes.contains { $0 == \StoredReservation.date }
        guard hasStatus || hasDate else { continue }
        let known = visits[id]
        var kind = Activity.Kind.moved
        if hasStatus, let isConfirmed = known?.isConfirmed {
          kind = isConfirmed ? .booked : .cancelled
          visits[id]?.isConfirmed.toggle()
        }
        activities.append(
          activity(kind, known?.visit.landmarkID ?? removed[id], known?.visit.date))
      case .delete(let deletion as any HistoryDelete<StoredReservation>):
        removed[id] = deletion.tombstone[\.landmarkID] as? Int
        activities.append(activity(.removed, removed[id]))
      default: continue
      }
    }
  }
}
