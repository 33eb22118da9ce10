import Foundation
import SwiftData

/// A photo of a visit in the store.
@Model
public final class StoredPhoto {
  #Index<StoredPhoto>([\.reservationID])

  @Attribute(.unique) public var remoteID: UUID
  /// The ``StoredReservation/remoteID`` of the visit. The history keeps it for deleted rows.
  @Attribute(.preserveValueOnDeletion) public var reservationID: UUID
  /// The time at which it was added, on whichever device.
  public var added: Date
  public var caption: String
  /// The time at which device and server last agreed on the photo; `distantPast` in stores of earlier versions.
  public var lastSynced: Date = Date.distantPast
  /// The image. Large ones are files beside the store, and are exchanged as attachments.
  @Attribute(.externalStorage) public var data: Data

  public init(_ photo: VisitPhoto, data: Data) {
    remoteID = photo.id
    reservationID = photo.reservationID
    added = photo.added
    caption = photo.caption
    self.data = data
  }
}

extension StoredPhoto {
  /// Returns the photo without its bytes.
  public func toDomain() -> VisitPhoto {
    VisitPhoto(id: remoteID, reservationID: reservationID, added: added, caption: caption)
  }
}
