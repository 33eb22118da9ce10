import Foundation
import SwiftData

/// What a store notes of the server's answers. Every note is one transaction under an author of its
/// own; when somebody else changed the same rows meanwhile, it is made again from what they are now.
extension LandmarkStore {
  /// Who writes what the server said, in the store's history.
  static var syncAuthor: String { "sync" }
  private static var attempts: Int { 20 }

  private func noting(_ body: (ModelContext) throws -> Void) throws {
    try working("written") { context in
      context.author = Self.syncAuthor
      context.mergePolicy = .error
      for attempt in 1... {
        do {
          try body(context)
          return try context.save()
        } catch let error as MergeConflictError {
          context.rollback()
          if attempt == Self.attempts { throw error }
        }
      }
    }
  }

  /// Notes that the server has, or no longer has, a favourite.
  func noteFavorite(_ landmarkID: Int, onServer isThere: Bool) throws {
    try noting { try Self.setFavorite(landmarkID, isThere, $0) }
  }

  private static func setFavorite(
    _ landmarkID: Int, _ isThere: Bool, _ context: ModelContext
  ) throws {
    let known = try context.fetch(
      FetchDescriptor<SyncedFavorite>(predicate: #Predicate { $0.landmarkID == landmarkID }))
    if isThere, known.isEmpty { context.insert(SyncedFavorite(landmarkID: landmarkID)) }
    if !isThere { for favorite in known { context.delete(favorite) } }
  }

  /// Notes what the server now has of a reservation; nil when it has none. What the user changed
  /// since stays pending, because it differs.
  func noteReservation(_ id: UUID, _ answer: ReservationAnswer?, now: Date) throws {
    try noting { context in
      try Self.setBase(id, answer, context)
      try Self.settle(id, answer, now, context)
    }
  }

  private static func setBase(
    _ id: UUID, _ answer: ReservationAnswer?, _ context: ModelContext
  ) throws {
    let known = try context.fetch(
      FetchDescriptor<SyncedReservation>(predicate: #Predicate { $0.remoteID == id })
    ).first
    guard let answer else {
      if let known { context.delete(known) }
      return
    }
    if let known {
      guard known.answer != answer else { return }
      known.landmarkID = answer.landmarkID
      known.date = answer.date
      known.status = answer.status
      known.revision = answer.revision
    } else {
      context.insert(SyncedReservation(answer))
    }
  }

  /// Says of the user's reservation whether the server knows it as it is.
  private static func settle(
    _ id: UUID, _ answer: ReservationAnswer?, _ now: Date, _ context: ModelContext
  ) throws {
    guard let stored = try stored(id, context) else { return }
    let isDirty = stored.toDomain() != answer?.reservation
    if stored.isDirty && !isDirty { stored.lastSynced = now }
    if stored.isDirty != isDirty { stored.isDirty = isDirty }
  }

  /// Notes that the server refused a change; the change stays on this device.
  func noteRefusal(_ reservation: Reservation, _ detail: String, now: Date) throws {
    let notice = SyncNotice(
      kind: .refused, reservationID: reservation.id, landmarkID: reservation.landmarkID,
      mine: reservation.date, detail: detail, made: now)
    guard try !notices().contains(where: { $0.isSame(as: notice) }) else { return }
    try noting { $0.insert(StoredNotice(notice)) }
  }

  /// Takes over what the server has. What the user changed and the server doesn't know yet stays.
  /// - Returns: how many objects of the device changed, and the decisions that had to be made.
  func merge(
    favorites: Set<Int>, reservations: [ReservationAnswer], now: Date
  ) throws -> (changed: Int, notices: [SyncNotice]) {
    var result: (changed: Int, notices: [SyncNotice]) = (0, [])
    try noting { context in
      result = (0, [])
      let books = try SyncBooks(context)
      for landmark in books.landmarks {
        let id = landmark.remoteID
        let agreed = books.favorites[id] != nil
        // What the user turned since is pending and wins.
        if landmark.isFavorite == agreed, landmark.isFavorite != favorites.contains(id) {
          landmark.isFavorite = favorites.contains(id)
          result.changed += 1
        }
      }
      for (id, favorite) in books.favorites where !favorites.contains(id) {
        context.delete(favorite)
      }
      for id in favorites where books.favorites[id] == nil {
        context.insert(SyncedFavorite(landmarkID: id))
      }
      let onServer = Dictionary(reservations.map { ($0.id, $0) }) { $1 }
      for id in Set(books.reservations.keys).union(books.bases.keys).union(onServer.keys) {
        let before = books.reservations[id]?.toDomain()
        let merge = ReservationMerge(
          local: before, base: books.bases[id]?.answer, server: onServer[id], now: now)
        try Self.setBase(id, merge.base, context)
        if merge.local != before {
          result.changed += 1
          try Self.put(merge.local, in: books.reservations[id], context)
        }
        if merge.local != nil { try Self.settle(id, merge.base, now, context) }
        if let notice = merge.notice {
          context.insert(StoredNotice(notice))
          result.notices.append(notice)
        }
      }
    }
    return result
  }

  private static func put(
    _ reservation: Reservation?, in stored: StoredReservation?, _ context: ModelContext
  ) throws {
    switch (reservation, stored) {
    case (nil, let stored?): context.delete(stored)
    case (let reservation?, nil): context.insert(reservation.toStored())
    case (let reservation?, let stored?):
      if stored.landmarkID != reservation.landmarkID { stored.landmarkID = reservation.landmarkID }
      if stored.date != reservation.date { stored.date = reservation.date }
      if stored.status != reservation.status.rawValue {
        stored.status = reservation.status.rawValue
      }
    case (nil, nil): break
    }
  }
}

extension SyncNotice {
  /// Whether both say the same, whenever they were made.
  fileprivate func isSame(as other: SyncNotice) -> Bool {
    var copy = other
    copy.made = made
    return self == copy
  }
}
