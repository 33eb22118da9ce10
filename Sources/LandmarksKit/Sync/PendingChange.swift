import Foundation
import SwiftData

/// A change of this device that the server doesn't know yet.
public enum PendingChange: Hashable, Sendable {
  case favorite(landmarkID: Int, isFavorite: Bool)
  /// A new or changed reservation, and the server's revision that it was changed from; nil for one
  /// that the server hasn't got.
  case reservation(Reservation, revision: Int?)
  /// A removed reservation, and the revision that was removed.
  case removal(UUID, revision: Int)
}

extension LandmarkStore {
  /// What the server doesn't know yet: each object once, however often it was changed.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  public func pendingChanges() throws -> [PendingChange] {
    try working("read") { try SyncBooks($0).pending }
  }
}

/// What a store has, beside what the server had when they last agreed.
struct SyncBooks {
  let landmarks: [StoredLandmark]
  let favorites: [Int: SyncedFavorite]
  let reservations: [UUID: StoredReservation]
  let bases: [UUID: SyncedReservation]

  init(_ context: ModelContext) throws {
    landmarks = try context.fetch(
      FetchDescriptor<StoredLandmark>(sortBy: [SortDescriptor(\.remoteID)]))
    favorites = Dictionary(
      try context.fetch(FetchDescriptor<SyncedFavorite>()).map { ($0.landmarkID, $0) }
    ) { first, _ in first }
    reservations = Dictionary(
      try context.fetch(FetchDescriptor<StoredReservation>()).map { ($0.remoteID, $0) }
    ) { first, _ in first }
    bases = Dictionary(
      try context.fetch(FetchDescriptor<SyncedReservation>()).map { ($0.remoteID, $0) }
    ) { first, _ in first }
  }

  var pending: [PendingChange] {
    var changes: [PendingChange] = []
    for landmark in landmarks where landmark.isFavorite != (favorites[landmark.remoteID] != nil) {
      changes.append(
        .favorite(landmarkID: landmark.remoteID, isFavorite: landmark.isFavorite))
    }
    for stored in reservations.values.sorted(by: { $0.date < $1.date }) {
      let reservation = stored.toDomain()
      let base = bases[reservation.id]
      if base?.answer.reservation != reservation {
        changes.append(.reservation(reservation, revision: base?.revision))
      }
    }
    for base in bases.values.sorted(by: { $0.date < $1.date })
    where reservations[base.remoteID] == nil {
      changes.append(.removal(base.remoteID, revision: base.revision))
    }
    return changes
  }
}
