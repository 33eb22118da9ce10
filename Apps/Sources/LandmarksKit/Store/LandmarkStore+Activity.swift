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

  /// The photos with their visits, without their images.
  private static var photosOfVisits: FetchDescriptor<StoredPhoto> {
    var descriptor = FetchDescriptor<StoredPhoto>()
    descriptor.propertiesToFetch = [\.reservationID]
    return descriptor
  }

  /// Returns what happened to marks, visits and their photos, latest first, as far back as the history is kept.
  ///
  /// The history has the changed properties, not their values. A property with two values has the other one before each
  /// change, so that what a change was follows from the changes after it.
  /// - Parameter limit: The maximum number of activities.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  public func activity(limit: Int = 100) throws -> [Activity] {
    try working("read") { context in
      var reader = ActivityReader(
        landmarks: try context.fetch(FetchDescriptor<StoredLandmark>()),
        visits: try context.fetch(FetchDescriptor<StoredReservation>()),
        photos: try context.fetch(Self.photosOfVisits))
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
    var number: UUID?
    var landmarkID: Int?
    /// The date, if the visit takes place.
    var date: Date?
    /// Whether it was confirmed after the changes that are read next; nil when that isn't known.
    var isConfirmed: Bool?
  }

  private var marks: [PersistentIdentifier: (id: Int, isFavorite: Bool)]
  private var visits: [PersistentIdentifier: Visit]
  /// The landmarks of visits, by the visits' numbers.
  private var landmarksOfVisits: [UUID: Int]
  /// The visits of photos.
  private var visitsOfPhotos: [PersistentIdentifier: UUID]
  private(set) var activities: [Activity] = []

  init(landmarks: [StoredLandmark], visits: [StoredReservation], photos: [StoredPhoto]) {
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
            number: visit.id, landmarkID: visit.landmarkID, date: isConfirmed ? visit.date : nil,
            isConfirmed: isConfirmed)
        )
      }
    ) { first, _ in first }
    landmarksOfVisits = Dictionary(visits.map { ($0.remoteID, $0.landmarkID) }) { first, _ in first
    }
    visitsOfPhotos = Dictionary(photos.map { ($0.persistentModelID, $0.reservationID) }) {
      first, _ in first
    }
  }

  mutating func read(_ transaction: DefaultHistoryTransaction) {
    let removed = readRemovedVisits(transaction)
    for change in transaction.changes.reversed() {
      let id = change.changedPersistentIdentifier
      switch change {
      case .insert(is any HistoryInsert<StoredReservation>): add(.planned, id, transaction)
      case .update(let update as any HistoryUpdate<StoredLandmark>):
        let isMark = update.updatedAttributes.contains { $0 == \StoredLandmark.isFavorite }
        guard isMark, let mark = marks[id] else { continue }
        add(
          mark.isFavorite ? .marked : .unmarked, Visit(landmarkID: mark.id), transaction)
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
      case .delete(is any HistoryDelete<StoredReservation>): add(.removed, id, transaction)
      case .insert(is any HistoryInsert<StoredPhoto>):
        add(.photoAdded, ofPhoto: id, transaction)
      case .update(let update as any HistoryUpdate<StoredPhoto>):
        if update.updatedAttributes.contains(where: { $0 == \StoredPhoto.caption }) {
          add(.captioned, ofPhoto: id, transaction)
        }
      case .delete(let deletion as any HistoryDelete<StoredPhoto>):
        let visit = deletion.tombstone[\.reservationID] as? UUID
        visitsOfPhotos[id] = visit
        // The photos of a visit go with it.
        if visit.map(removed.contains) != true { add(.photoRemoved, ofPhoto: id, transaction) }
      default: continue
      }
    }
  }

  /// Keeps what the history has of the visits that a transaction removed.
  ///
  /// - Returns: The numbers of the visits.
  private mutating func readRemovedVisits(_ transaction: DefaultHistoryTransaction) -> Set<UUID> {
    var removed: Set<UUID> = []
    for change in transaction.changes {
      guard case .delete(let deletion as any HistoryDelete<StoredReservation>) = change else {
        continue
      }
      let status = deletion.tombstone[\.status] as? String
      let landmarkID = deletion.tombstone[\.landmarkID] as? Int
      let number = deletion.tombstone[\.remoteID] as? UUID
      visits[change.changedPersistentIdentifier] = Visit(
        number: number, landmarkID: landmarkID,
        isConfirmed: status.map { $0 == Reservation.Status.confirmed.rawValue })
      guard let number else { continue }
      removed.insert(number)
      landmarksOfVisits[number] = landmarkID
    }
    return removed
  }

  private mutating func add(
    _ kind: Activity.Kind, ofPhoto id: PersistentIdentifier,
    _ transaction: DefaultHistoryTransaction
  ) {
    let number = visitsOfPhotos[id]
    let landmarkID = number.flatMap { landmarksOfVisits[$0] }
    add(kind, Visit(number: number, landmarkID: landmarkID), transaction)
  }

  private mutating func add(
    _ kind: Activity.Kind, _ id: PersistentIdentifier, _ transaction: DefaultHistoryTransaction
  ) {
    add(kind, visits[id] ?? Visit(), transaction)
  }

  private mutating func add(
    _ kind: Activity.Kind, _ visit: Visit, _ transaction: DefaultHistoryTransaction
  ) {
    // The application's contexts have no author; the exchange and the landmarks' refresh have.
    activities.append(
      Activity(
        kind: kind, landmarkID: visit.landmarkID, reservationID: visit.number, date: visit.date,
        made: transaction.timestamp, isOwn: transaction.author == nil))
  }
}
