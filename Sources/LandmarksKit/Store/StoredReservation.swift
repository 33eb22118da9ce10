import Foundation
import SwiftData

/// A reservation in the store.
@Model
public final class StoredReservation {
  @Attribute(.unique) public var remoteID: UUID
  public var landmarkID: Int
  public var date: Date
  /// A ``Reservation/Status``'s raw value.
  public var status: String
  /// Whether it has changes that the server doesn't know yet. For display, kept by ``LandmarkSync``: what is sent is
  /// found by comparison with what both sides last agreed on.
  public var isDirty: Bool
  /// When device and server last agreed on it.
  public var lastSynced: Date

  public init(
    remoteID: UUID, landmarkID: Int, date: Date, status: String, isDirty: Bool = false,
    lastSynced: Date = .now
  ) {
    self.remoteID = remoteID
    self.landmarkID = landmarkID
    self.date = date
    self.status = status
    self.isDirty = isDirty
    self.lastSynced = lastSynced
  }
}

extension StoredReservation {
  /// The reservation; a status that this version doesn't know counts as confirmed.
  public func toDomain() -> Reservation {
    Reservation(
      id: remoteID, landmarkID: landmarkID, date: date,
      status: Reservation.Status(rawValue: status) ?? .confirmed)
  }
}

extension Reservation {
  /// A model of the reservation, in no context yet.
  /// - Parameter isDirty: whether the server doesn't know it yet.
  public func toStored(isDirty: Bool = false) -> StoredReservation {
    StoredReservation(
      remoteID: id, landmarkID: landmarkID, date: date, status: status.rawValue, isDirty: isDirty)
  }
}
