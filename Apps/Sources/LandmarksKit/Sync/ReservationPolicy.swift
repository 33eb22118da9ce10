import SwiftDataSync

/// Resolves conflicts in which device and server have changed the same reservation since they last agreed.
///
/// If both changed the date, this device's date is kept. A cancellation on either side holds. Edits of the note are
/// merged. An edit wins over a removal, so that no input of a user is lost. A change of one side only needs no
/// decision.
enum ReservationPolicy {
  @Sendable static func decide(_ conflict: SyncConflict) -> SyncDecision {
    guard let local = conflict.local else { return .server }
    guard let remote = conflict.remote else { return .client }
    var values: SyncValues = [:]
    if let date = local["date"] { values["date"] = date }
    if let merge = conflict.mergedText(of: "note") {
      values["note"] = .text(VisitNote.normalized(merge.text))
    }
    let cancelled = SyncValue.text(Reservation.Status.cancelled.rawValue)
    if local["status"] == cancelled || remote["status"] == cancelled {
      values["status"] = cancelled
    }
    return .values(values)
  }
}
