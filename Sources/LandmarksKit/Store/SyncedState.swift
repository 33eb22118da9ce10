import Foundation
import SwiftData

// What device and server last agreed on. An edit is pending as long as the store differs from it, so
// there is no list of edits to keep: many edits of one object are one change, an insertion and its
// deletion are none, and a process that dies loses nothing.

/// A favourite that the server has.
@Model
final class SyncedFavorite {
  @Attribute(.unique) var landmarkID: Int

  init(landmarkID: Int) { self.landmarkID = landmarkID }
}

/// A reservation as the server had it.
@Model
final class SyncedReservation {
  @Attribute(.unique) var remoteID: UUID
  var landmarkID: Int
  var date: Date
  var status: String
  /// The server's count of its changes.
  var revision: Int

  init(_ answer: ReservationAnswer) {
    remoteID = answer.id
    landmarkID = answer.landmarkID
    date = answer.date
    status = answer.status
    revision = answer.revision
  }

  /// It as the server gave it.
  var answer: ReservationAnswer {
    ReservationAnswer(
      id: remoteID, landmarkID: landmarkID, date: date, status: status, revision: revision)
  }
}

/// A decision that was made for the user, until they have seen it.
@Model
final class StoredNotice {
  /// A later decision about the same reservation takes the place of an earlier one.
  @Attribute(.unique) var reservationID: UUID
  var landmarkID: Int
  var kind: String
  var mine: Date?
  var theirs: Date?
  var detail: String?
  var made: Date

  init(_ notice: SyncNotice) {
    reservationID = notice.reservationID
    landmarkID = notice.landmarkID
    kind = notice.kind.rawValue
    mine = notice.mine
    theirs = notice.theirs
    detail = notice.detail
    made = notice.made
  }

  /// It as a value; nil for a kind that this version doesn't know.
  var value: SyncNotice? {
    SyncNotice.Kind(rawValue: kind).map {
      SyncNotice(
        kind: $0, reservationID: reservationID, landmarkID: landmarkID, mine: mine, theirs: theirs,
        detail: detail, made: made)
    }
  }
}
