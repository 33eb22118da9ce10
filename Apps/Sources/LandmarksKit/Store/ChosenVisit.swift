import Foundation
import SwiftData

/// The last choice of this device's user about a visit: its date, and whether it takes place. It isn't exchanged; by
/// it, changes that arrive from elsewhere are recognized, and the choice can be made again, with the note.
@Model
final class ChosenVisit {
  /// The identifier of the reservation.
  @Attribute(.unique) var remoteID: UUID
  var landmarkID: Int
  var date: Date
  /// The raw value of a ``Reservation/Status``.
  var status: String
  /// The time of the choice.
  var made: Date
  /// The note that the user last gave the visit.
  var note: String = ""

  init(_ visit: Reservation, made: Date) {
    remoteID = visit.id
    landmarkID = visit.landmarkID
    date = visit.date
    status = visit.status.rawValue
    self.made = made
    note = visit.note
  }
}

extension LandmarkStore {
  /// Records the user's choice, in a context that the caller saves.
  static func choose(_ visit: Reservation, _ context: ModelContext, _ now: Date) throws {
    guard let known = try choice(visit.id, context) else {
      return context.insert(ChosenVisit(visit, made: now))
    }
    known.date = visit.date
    known.status = visit.status.rawValue
    known.made = now
    known.note = visit.note
  }

  /// Records the user's note in their choice, if there is one, which stays as it is otherwise.
  static func chooseNote(_ visit: Reservation, _ context: ModelContext) throws {
    if let known = try choice(visit.id, context) { known.note = visit.note }
  }

  /// Forgets the user's choice, in a context that the caller saves.
  static func forgetChoice(_ id: UUID, _ context: ModelContext) throws {
    if let known = try choice(id, context) { context.delete(known) }
  }

  private static func choice(_ id: UUID, _ context: ModelContext) throws -> ChosenVisit? {
    var descriptor = FetchDescriptor<ChosenVisit>(predicate: #Predicate { $0.remoteID == id })
    descriptor.fetchLimit = 1
    return try context.fetch(descriptor).first
  }

  /// Makes a visit's present state the user's choice, so that no notice is left of it.
  /// - Parameters:
  ///   - id: The visit.
  ///   - made: The time of the notice that the user has seen: a later change stays to be told; nil for any.
  ///   - decided: The time of the last decision about the visit, which a notice may be about, too.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  func acceptVisit(_ id: UUID, made: Date? = nil, decided: Date? = nil) throws {
    try editing { context in
      guard let known = try Self.choice(id, context) else { return }
      let model: StoredReservation? = try Self.stored(id, context)
      if let made {
        let past = max(Self.noticeTime(known, model), decided ?? .distantPast)
          .timeIntervalSince(made)
        // The removal of a visit has no time of its own, and its notice may have the last copy of the note.
        guard past <= SyncNotice.precision, model != nil || -past <= SyncNotice.precision else {
          return
        }
      }
      if let stored = model?.toDomain() {
        known.date = stored.date
        known.status = stored.status.rawValue
        known.note = stored.note
      } else {
        context.delete(known)
      }
    }
  }

  /// Returns a notice for each visit that is no longer as this device's user chose it, because it was changed
  /// elsewhere. Visits that are over, both as chosen and as they are, aren't included.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  func changesElsewhere(now: Date = .now) throws -> [SyncNotice] {
    try working("read") { context in
      let choices = try context.fetch(FetchDescriptor<ChosenVisit>())
      guard !choices.isEmpty else { return [] }
      let stored = try context.fetch(FetchDescriptor<StoredReservation>())
      let models = Dictionary(stored.map { ($0.remoteID, $0) }) { first, _ in first }
      return choices.compactMap { choice in
        let model = models[choice.remoteID]
        let visit = model?.toDomain()
        guard let kind = Self.change(from: choice, to: visit),
          max(choice.date, visit?.date ?? .distantPast) > now
        else { return nil }
        return SyncNotice(
          kind: kind, reservationID: choice.remoteID, landmarkID: choice.landmarkID,
          mine: choice.date, theirs: visit?.date, note: visit == nil ? choice.note : nil,
          made: Self.noticeTime(choice, model))
      }
    }
  }

  private static func noticeTime(_ choice: ChosenVisit, _ visit: StoredReservation?) -> Date {
    max(choice.made, visit?.lastSynced ?? .distantPast)
  }

  private static func change(
    from choice: ChosenVisit, to visit: Reservation?
  ) -> SyncNotice.Kind? {
    let wasConfirmed = choice.status == Reservation.Status.confirmed.rawValue
    guard let visit else { return wasConfirmed ? .removedElsewhere : nil }
    switch (wasConfirmed, visit.status == .confirmed) {
    case (true, false): return .cancelledElsewhere
    case (false, true): return .bookedElsewhere
    case (true, true): return visit.date == choice.date ? nil : .movedElsewhere
    case (false, false): return nil
    }
  }
}
