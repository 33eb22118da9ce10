import Foundation
import SwiftData
import SwiftDataSync

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

  /// Returns the reservation with this identifier; nil if the store has none.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  public func reservation(_ id: UUID) throws -> Reservation? {
    try working("read") { try Self.stored(id, $0)?.toDomain() }
  }

  /// Returns all visits as a calendar, see ``CalendarText``; nil without visits.
  /// - Parameter now: The time at which the calendar is made.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  public func calendar(now: Date = .now) throws -> [UInt8]? {
    let landmarks = Dictionary(try landmarks().map { ($0.id, $0) }) { first, _ in first }
    return CalendarText.calendar(try reservations(), landmarks: landmarks, now: now)
  }

  /// Makes a reservation.
  /// - Parameters:
  ///   - landmarkID: The landmark's number.
  ///   - date: The date of the visit; seconds are dropped.
  ///   - note: The user's note.
  ///   - id: The identifier of the reservation. If a reservation with this identifier and the same
  ///     contents exists, it is left as it is, so that a request can be repeated.
  ///   - now: The current date, which `date` is checked against.
  /// - Returns: The reservation.
  /// - Throws: ``LandmarksError/Code/invalidArgument`` for a date out of range or of another visit to the landmark, and
  ///   for a note that is too long, ``LandmarksError/Code/notFound``, ``LandmarksError/Code/storeFailure``.
  @discardableResult
  public func reserve(
    _ landmarkID: Int, on date: Date, note: String = "", id: UUID = UUID(), now: Date = .now
  ) throws -> Reservation {
    let made = Reservation(id: id, landmarkID: landmarkID, date: date, note: note)
    return try editing { context in
      try Self.reserve(made, context, now)
      return made
    }
  }

  /// Moves a reservation to another date; a cancelled one is booked again.
  /// - Throws: as ``reserve(_:on:note:id:now:)``.
  @discardableResult
  public func change(_ id: UUID, to date: Date, now: Date = .now) throws -> Reservation {
    try editing { try Self.move(id, to: date, $0, now) }
  }

  /// Changes the note of a reservation.
  /// - Parameters:
  ///   - id: The reservation.
  ///   - note: The note; an empty one removes it.
  ///   - base: The note that the user edited. If the reservation has another one by now, both edits are merged; see
  ///     `TextMerge`. Nil replaces the note.
  /// - Throws: ``LandmarksError/Code/invalidArgument`` for a note that is too long, ``LandmarksError/Code/notFound``,
  ///   ``LandmarksError/Code/storeFailure``.
  @discardableResult
  public func setNote(_ id: UUID, _ note: String, base: String? = nil) throws -> Reservation {
    try editing { try Self.setNote(id, note, base: base, $0) }
  }

  /// Cancels a reservation; it stays in the list until it is removed.
  /// - Parameters:
  ///   - id: The reservation.
  ///   - now: The current date, the time of the user's choice.
  /// - Throws: ``LandmarksError/Code/notFound``, ``LandmarksError/Code/storeFailure``.
  @discardableResult
  public func cancel(_ id: UUID, now: Date = .now) throws -> Reservation {
    try editing { try Self.cancel(id, $0, now) }
  }

  /// Removes a reservation with its photos; does nothing if it doesn't exist.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  public func remove(_ id: UUID) throws {
    try editing { try Self.remove(id, $0) }
  }

  static func stored(_ id: UUID, _ context: ModelContext) throws -> StoredReservation? {
    var descriptor = FetchDescriptor<StoredReservation>(
      predicate: #Predicate { $0.remoteID == id })
    descriptor.fetchLimit = 1
    return try context.fetch(descriptor).first
  }
}

/// The edits in a context, which the caller saves.
extension LandmarkStore {
  static func reserve(_ made: Reservation, _ context: ModelContext, _ now: Date) throws {
    if let known = try stored(made.id, context)?.toDomain() {
      guard known == made else {
        throw LandmarksError(
          .invalidArgument, made.id.uuidString, reason: "another reservation has this identifier")
      }
      return
    }
    try Reservation.check(made.date, now: now)
    try VisitNote.check(made.note)
    try checkFree(made, context)
    guard try stored(made.landmarkID, context) != nil else {
      throw LandmarksError(
        .notFound, "\(made.landmarkID)", reason: "there is no such landmark in the store")
    }
    context.insert(made.toStored(isDirty: true))
    try choose(made, context, now)
  }

  @discardableResult
  static func move(
    _ id: UUID, to date: Date, _ context: ModelContext, _ now: Date
  ) throws -> Reservation {
    try edit(id, context, choice: now) { stored in
      let date = Reservation.wholeMinutes(date)
      if stored.date != date { try Reservation.check(date, now: now) }
      var moved = stored.toDomain()
      moved.date = date
      try checkFree(moved, context)
      stored.date = date
      stored.status = Reservation.Status.confirmed.rawValue
    }
  }

  /// Checks that no other visit to the landmark has the same date.
  private static func checkFree(_ wanted: Reservation, _ context: ModelContext) throws {
    let (id, landmark, date) = (wanted.id, wanted.landmarkID, wanted.date)
    let confirmed = Reservation.Status.confirmed.rawValue
    let others = FetchDescriptor<StoredReservation>(
      predicate: #Predicate {
        $0.landmarkID == landmark && $0.date == date && $0.status == confirmed && $0.remoteID != id
      })
    guard try context.fetchCount(others) == 0 else {
      throw LandmarksError(
        .invalidArgument, "date", reason: "there is a visit at this time already")
    }
  }

  @discardableResult
  static func setNote(
    _ id: UUID, _ note: String, base: String?, _ context: ModelContext
  ) throws -> Reservation {
    try edit(id, context, choice: nil) { stored in
      var note = VisitNote.normalized(note)
      let base = base.map(VisitNote.normalized)
      try VisitNote.check(note, replacing: base ?? stored.note)
      if let base, base != stored.note {
        let merge = TextMerge(base: base, mine: note, theirs: stored.note)
        note = VisitNote.normalized(merge.text)
        try VisitNote.check(note, upTo: VisitNote.maximumMergedLength)
      }
      if stored.note != note { stored.note = note }
    }
  }

  @discardableResult
  static func cancel(
    _ id: UUID, _ context: ModelContext, _ now: Date
  ) throws -> Reservation {
    try edit(id, context, choice: now) { $0.status = Reservation.Status.cancelled.rawValue }
  }

  static func remove(_ id: UUID, _ context: ModelContext) throws {
    if let stored = try stored(id, context) { context.delete(stored) }
    try removePhotos(of: id, context)
    try forgetChoice(id, context)
  }

  /// - Parameter choice: The time of the user's choice of date and status; nil for an edit of neither.
  private static func edit(
    _ id: UUID, _ context: ModelContext, choice: Date?,
    _ body: (StoredReservation) throws -> Void
  ) throws -> Reservation {
    guard let stored = try stored(id, context) else {
      throw LandmarksError(
        .notFound, id.uuidString, reason: "there is no such reservation in the store")
    }
    let before = stored.toDomain()
    try body(stored)
    let after = stored.toDomain()
    if after != before { stored.isDirty = true }
    if let choice { try choose(after, context, choice) } else { try chooseNote(after, context) }
    return after
  }
}
