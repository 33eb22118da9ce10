import Foundation
import SwiftData

/// A reservation in the store.
@Model
public final class StoredReservation {
  /// The history keeps it for deleted rows, whose photos it then assigns to them.
  @Attribute(.unique, .preserveValueOnDeletion) public var remoteID: UUID
  /// The history keeps it for deleted rows.
  @Attribute(.preserveValueOnDeletion) public var landmarkID: Int
  public var date: Date
  /// The raw value of a ``Reservation/Status``. The history keeps it for deleted rows.
  @Attribute(.preserveValueOnDeletion) public var status: String
  /// Whether the reservation has changes that the server doesn't have yet. ``LandmarkSync`` maintains it for display;
  /// the changes to send are found by comparison with the state that both sides last agreed on.
  public var isDirty: Bool
  /// The time at which device and server last agreed on the reservation.
  public var lastSynced: Date
  /// The user's note, see ``VisitNote``; empty without one, as in stores of earlier versions.
  public var note: String = ""

  public init(
    remoteID: UUID, landmarkID: Int, date: Date, status: String, isDirty: Bool = false,
    lastSynced: Date = .now, note: String = ""
  ) {
    self.remoteID = remoteID
    self.landmarkID = landmarkID
    self.date = date
    self.status = status
    self.isDirty = isDirty
    self.lastSynced = lastSynced
    self.note = note
  }
}

extension StoredReservation {
  /// Returns the reservation; a status that this version doesn't know becomes confirmed.
  public func toDomain() -> Reservation {
    Reservation(
      id: remoteID, landmarkID: landmarkID, date: date,
      status: Reservation.Status(rawValue: status) ?? .confirmed, note: note)
  }
}

extension Reservation {
  /// Returns a model of the reservation, in no context yet.
  /// - Parameter isDirty: Whether the server doesn't have it yet.
  public func toStored(isDirty: Bool = false) -> StoredReservation {
    StoredReservation(
      remoteID: id, landmarkID: landmarkID, date: date, status: status.rawValue, isDirty: isDirty,
      note: note)
  }
}
