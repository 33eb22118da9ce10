import Foundation
import SwiftData

/// Every edit is complete in the store when the call returns; the server gets it later.
extension LandmarkStore {
  /// Returns all reservations, ordered by date.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  public func reservations() throws -> [Reservation] {
    try working("read") { context in
      try context.fetch(FetchDescriptor<StoredReservation>(sortBy: [SortDescriptor(\.date)]))
        .map { $0.toDomain() }
    }
  }

  /// Makes a reservation.
  /// - Parameters:
  ///   - landmarkID: The landmark's number.
  ///   - date: The date of the visit; seconds are dropped.
  ///   - id: The identifier of the reservation. If a reservation with this identifier and the same
  ///     contents exists, it is left as it is, so that a request can be repeated.
  ///   - now: The current date, which `date` is checked against.
  /// - Returns: The reservation.
  /// - Throws: ``LandmarksError/Code/invalidArgument`` for a date out of range,
  ///   ``LandmarksError/Code/notFound``, ``LandmarksError/Code/storeFailure``.
  @discardableResult
  public func reserve(
    _ landmarkID: Int, on date: Date, id: UUID = UUID(), now: Date = .now
  ) throws -> Reservation {
    let made = Reservation(id: id, landmarkID: landmarkID, date: date)
    return try working("written") { context in
      if let known = try Self.stored(id, context)?.toDomain() {
        guard known == made else {
          throw LandmarksError(
            .invalidArgument, id.uuidString, reason: "another reservation has this identifier")
        }
        return known
      }
      try Reservation.check(made.date, now: now)
      guard try Self.stored(landmarkID, context) != nil else {
        throw LandmarksError(
          .notFound, "\(landmarkID)", reason: "there is no such landmark in the store")
      }
      context.insert(made.toStored(isDirty: true))
      try context.save()
      return made
    }
  }

  /// Moves a reservation to another date; a cancelled one is booked again.
  /// - Throws: as ``reserve(_:on:id:now:)``.
  @discardableResult
  public func change(_ id: UUID, to date: Date, now: Date = .now) throws -> Reservation {
    try edit(id) { stored in
      let date = Reservation.wholeMinutes(date)
      if stored.date != date { try Reservation.check(date, now: now) }
      stored.date = date
      stored.status = Reservation.Status.confirmed.rawValue
    }
  }

  /// Cancels a reservation; it stays in the list until it is removed.
  /// - Throws: ``LandmarksError/Code/notFound``, ``LandmarksError/Code/storeFailure``.
  @discardableResult
  public func cancel(_ id: UUID) throws -> Reservation {
    try edit(id) { $0.status = Reservation.Status.cancelled.rawValue }
  }

  /// Removes a reservation; does nothing if it doesn't exist.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  public func remove(_ id: UUID) throws {
    try working("written") { context in
      guard let stored = try Self.stored(id, context) else { return }
      context.delete(stored)
      try context.save()
    }
  }

  static func stored(_ id: UUID, _ context: ModelContext) throws -> StoredReservation? {
    var descriptor = FetchDescriptor<StoredReservation>(
      predicate: #Predicate { $0.remoteID == id })
    descriptor.fetchLimit = 1
    return try context.fetch(descriptor).first
  }

  private func edit(_ id: UUID, _ body: (StoredReservation) throws -> Void) throws -> Reservation {
    try working("written") { context in
      guard let stored = try Self.stored(id, context) else {
        throw LandmarksError(
          .notFound, id.uuidString, reason: "there is no such reservation in the store")
      }
      let before = stored.toDomain()
      try body(stored)
      if stored.toDomain() != before {
        stored.isDirty = true
        try context.save()
      }
      return stored.toDomain()
    }
  }
}
