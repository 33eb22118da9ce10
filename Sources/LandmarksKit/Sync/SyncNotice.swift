import Foundation

/// A decision that was made for the user when device and server had changed the same reservation.
public struct SyncNotice: Hashable, Sendable {
  /// What was decided.
  public enum Kind: String, Sendable {
    /// Both had given it another date; this device's was kept.
    case keptMyDate
    /// It was changed here and removed elsewhere; it was kept.
    case keptMyEdit
    /// It was removed here and changed elsewhere; it is back.
    case restoredTheirEdit
    /// The server refused a change; it stays on this device.
    case refused
  }

  public var kind: Kind
  public var reservationID: UUID
  public var landmarkID: Int
  /// This device's date.
  public var mine: Date?
  /// The other side's date.
  public var theirs: Date?
  /// The server's reason.
  public var detail: String?
  public var made: Date

  public init(
    kind: Kind, reservationID: UUID, landmarkID: Int, mine: Date? = nil, theirs: Date? = nil,
    detail: String? = nil, made: Date
  ) {
    self.kind = kind
    self.reservationID = reservationID
    self.landmarkID = landmarkID
    self.mine = mine
    self.theirs = theirs
    self.detail = detail
    self.made = made
  }
}
