import Foundation
import SwiftData

/// Reads transactions from the latest to the earliest, and of the models only those that the activities are about.
struct ActivityReader {
  /// A change that may be an activity, with its transaction.
  private struct Candidate {
    var change: HistoryChange
    var made: Date
    var isOwn: Bool
  }

  private struct Visit {
    var number: UUID?
    var landmarkID: Int?
    /// The date, if the visit takes place.
    var date: Date?
    /// Whether it was confirmed after the changes that are read next; nil when that isn't known.
    var isConfirmed: Bool?
  }

  private let limit: Int
  private var marks: [PersistentIdentifier: (id: Int, isFavorite: Bool)] = [:]
  private var visits: [PersistentIdentifier: Visit] = [:]
  /// The landmarks of visits, by the visits' numbers.
  private var landmarksOfVisits: [UUID: Int] = [:]
  /// The visits of photos.
  private var visitsOfPhotos: [PersistentIdentifier: UUID] = [:]
  private(set) var activities: [Activity] = []

  /// - Parameter limit: The maximum number of activities.
  init(limit: Int) { self.limit = limit }

  /// Reads transactions, the latest first, as far as activities are wanted.
  /// - Throws: The errors of the store.
  mutating func read(
    _ transactions: [DefaultHistoryTransaction], _ context: ModelContext
  ) throws {
    var waiting = transactions.flatMap { candidates($0) }[...]
    while activities.count < limit, !waiting.isEmpty {
      let next = waiting.prefix(limit - activities.count)
      waiting = waiting.dropFirst(next.count)
      try load(next.map(\.change), context)
      for candidate in next { read(candidate) }
    }
    activities = Array(activities.prefix(limit))
  }

  /// Returns the changes of a transaction that may be activities, the latest first, and keeps what the history has of
  /// the visits that it removed.
  private mutating func candidates(_ transaction: DefaultHistoryTransaction) -> [Candidate] {
    let removed = readRemovals(transaction)
    return transaction.changes.reversed().filter { change in
      switch change {
      case .update(let update as any HistoryUpdate<StoredLandmark>):
        return update.updatedAttributes.contains { $0 == \StoredLandmark.isFavorite }
      case .update(let update as any HistoryUpdate<StoredPhoto>):
        return update.updatedAttributes.contains { $0 == \StoredPhoto.caption }
      case .update(let update as any HistoryUpdate<StoredReservation>):
        return update.updatedAttributes.contains {
          $0 == \StoredReservation.status || $0 == \StoredReservation.date
            || $0 == \StoredReservation.note
        }
      case .delete(let deletion as any HistoryDelete<StoredPhoto>):
        // The photos of a visit go with it.
        let visit = deletion.tombstone[\.reservationID] as? UUID
        return visit.map(removed.contains) != true
      case .insert(is any HistoryInsert<StoredReservation>),
        .delete(is any HistoryDelete<StoredReservation>),
        .insert(is any HistoryInsert<StoredPhoto>):
        return true
      default: return false
      }
    }.map {
      // The application's contexts have no author; the exchange and the landmarks' refresh have.
      Candidate(change: $0, made: transaction.timestamp, isOwn: transaction.author == nil)
    }
  }

  /// Keeps what the history has of the visits and photos that a transaction removed.
  ///
  /// - Returns: The numbers of the visits.
  private mutating func readRemovals(_ transaction: DefaultHistoryTransaction) -> Set<UUID> {
    var removed: Set<UUID> = []
    for change in transaction.changes {
      let id = change.changedPersistentIdentifier
      switch change {
      case .delete(let deletion as any HistoryDelete<StoredReservation>):
        let status = deletion.tombstone[\.status] as? String
        let landmarkID = deletion.tombstone[\.landmarkID] as? Int
        let number = deletion.tombstone[\.remoteID] as? UUID
        visits[id] = Visit(
          number: number, landmarkID: landmarkID,
          isConfirmed: status.map { $0 == Reservation.Status.confirmed.rawValue })
        guard let number else { continue }
        removed.insert(number)
        landmarksOfVisits[number] = landmarkID
      case .delete(let deletion as any HistoryDelete<StoredPhoto>):
        visitsOfPhotos[id] = deletion.tombstone[\.reservationID] as? UUID
      default: continue
      }
    }
    return removed
  }

  private mutating func read(_ candidate: Candidate) {
    let id = candidate.change.changedPersistentIdentifier
    switch candidate.change {
    case .insert(is any HistoryInsert<StoredReservation>): add(.planned, id, candidate)
    case .update(is any HistoryUpdate<StoredLandmark>):
      guard let mark = marks[id] else { return }
      add(mark.isFavorite ? .marked : .unmarked, Visit(landmarkID: mark.id), candidate)
      marks[id]?.isFavorite.toggle()
    case .update(let update as any HistoryUpdate<StoredReservation>):
      let properties = update.updatedAttributes
      if properties.contains(where: { $0 == \StoredReservation.status }),
        let isConfirmed = visits[id]?.isConfirmed
      {
        add(isConfirmed ? .booked : .cancelled, id, candidate)
        visits[id]?.isConfirmed = !isConfirmed
      } else if properties.contains(where: { $0 == \StoredReservation.date }) {
        add(.moved, id, candidate)
      }
      if properties.contains(where: { $0 == \StoredReservation.note }) {
        add(.noted, id, candidate)
      }
    case .delete(is any HistoryDelete<StoredReservation>): add(.removed, id, candidate)
    case .insert(is any HistoryInsert<StoredPhoto>): add(.photoAdded, ofPhoto: id, candidate)
    case .update(is any HistoryUpdate<StoredPhoto>): add(.captioned, ofPhoto: id, candidate)
    case .delete(is any HistoryDelete<StoredPhoto>): add(.photoRemoved, ofPhoto: id, candidate)
    default: break
    }
  }

  private mutating func add(
    _ kind: Activity.Kind, ofPhoto id: PersistentIdentifier, _ candidate: Candidate
  ) {
    let number = visitsOfPhotos[id]
    let landmarkID = number.flatMap { landmarksOfVisits[$0] }
    add(kind, Visit(number: number, landmarkID: landmarkID), candidate)
  }

  private mutating func add(
    _ kind: Activity.Kind, _ id: PersistentIdentifier, _ candidate: Candidate
  ) {
    add(kind, visits[id] ?? Visit(), candidate)
  }

  private mutating func add(_ kind: Activity.Kind, _ visit: Visit, _ candidate: Candidate) {
    activities.append(
      Activity(
        kind: kind, landmarkID: visit.landmarkID, reservationID: visit.number, date: visit.date,
        made: candidate.made, isOwn: candidate.isOwn))
  }
}

/// The models that changes are about.
extension ActivityReader {
  /// Reads the models that changes are about and that aren't known yet, and the visits of photos.
  private mutating func load(_ changes: [HistoryChange], _ context: ModelContext) throws {
    var (landmarks, visits, photos) = (Identifiers(), Identifiers(), Identifiers())
    var numbers: Set<UUID> = []
    for change in changes {
      let id = change.changedPersistentIdentifier
      switch change {
      case .update(is any HistoryUpdate<StoredLandmark>):
        if marks[id] == nil { landmarks.insert(id) }
      case .insert(is any HistoryInsert<StoredReservation>),
        .update(is any HistoryUpdate<StoredReservation>):
        if self.visits[id] == nil { visits.insert(id) }
      case .insert(is any HistoryInsert<StoredPhoto>), .update(is any HistoryUpdate<StoredPhoto>),
        .delete(is any HistoryDelete<StoredPhoto>):
        if let number = visitsOfPhotos[id] { numbers.insert(number) } else { photos.insert(id) }
      default: break
      }
    }
    try load(landmarks: Array(landmarks), context)
    try load(photos: Array(photos), context)
    try load(visits: Array(visits), context)
    numbers.formUnion(photos.compactMap { visitsOfPhotos[$0] })
    try load(numbers: numbers.filter { landmarksOfVisits[$0] == nil }, context)
  }

  private typealias Identifiers = Set<PersistentIdentifier>

  private mutating func load(
    landmarks identifiers: [PersistentIdentifier], _ context: ModelContext
  ) throws {
    guard !identifiers.isEmpty else { return }
    var descriptor = FetchDescriptor<StoredLandmark>(
      predicate: #Predicate { identifiers.contains($0.persistentModelID) })
    descriptor.propertiesToFetch = [\.remoteID, \.isFavorite]
    for model in try context.fetch(descriptor) {
      marks[model.persistentModelID] = (model.remoteID, model.isFavorite)
    }
  }

  private mutating func load(
    photos identifiers: [PersistentIdentifier], _ context: ModelContext
  ) throws {
    guard !identifiers.isEmpty else { return }
    var descriptor = FetchDescriptor<StoredPhoto>(
      predicate: #Predicate { identifiers.contains($0.persistentModelID) })
    // Not their images.
    descriptor.propertiesToFetch = [\.reservationID]
    for model in try context.fetch(descriptor) {
      visitsOfPhotos[model.persistentModelID] = model.reservationID
    }
  }

  private mutating func load(
    visits identifiers: [PersistentIdentifier], _ context: ModelContext
  ) throws {
    guard !identifiers.isEmpty else { return }
    keep(
      try context.fetch(
        FetchDescriptor<StoredReservation>(
          predicate: #Predicate { identifiers.contains($0.persistentModelID) })))
  }

  private mutating func load(numbers: Set<UUID>, _ context: ModelContext) throws {
    guard !numbers.isEmpty else { return }
    keep(
      try context.fetch(
        FetchDescriptor<StoredReservation>(predicate: #Predicate { numbers.contains($0.remoteID) }))
    )
  }

  /// Keeps visits as they are now, unless earlier changes of them have been read.
  private mutating func keep(_ models: [StoredReservation]) {
    for model in models {
      let visit = model.toDomain()
      landmarksOfVisits[visit.id] = visit.landmarkID
      guard visits[model.persistentModelID] == nil else { continue }
      let isConfirmed = visit.status == .confirmed
      visits[model.persistentModelID] = Visit(
        number: visit.id, landmarkID: visit.landmarkID, date: isConfirmed ? visit.date : nil,
        isConfirmed: isConfirmed)
    }
  }
}
