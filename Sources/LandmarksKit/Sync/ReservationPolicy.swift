import SwiftDataSync

/// Who wins where device and server have changed the same reservation since they last agreed.
///
/// A date that both changed stays this device's. A cancellation of either side holds. An edit beats a removal: nothing
/// that somebody typed is lost. What only one side changed needs no decision.
enum ReservationPolicy {
  @Sendable static func decide(_ conflict: SyncConflict) -> SyncDecision {
    guard let local = conflict.local else { return .server }
    guard let remote = conflict.remote else { return .client }
    var values: SyncValues = [:]
    if let date = local["date"] { values["date"] = date }
    let cancelled = SyncValue.text(Reservation.Status.cancelled.rawValue)
    if local["status"] == cancelled || remote["status"] == cancelled {
      values["status"] = cancelled
    }
    return .values(values)
  }
}
