import Foundation

/// What becomes of one reservation when the server's state arrives: a three-way merge against the
/// base that device and server last agreed on.
///
/// What only one side changed is taken. A date that both changed stays this device's. A
/// cancellation of either side holds. An edit beats a removal: nothing that somebody typed is lost.
struct ReservationMerge: Hashable {
  /// What the device has from now on; nil when it has none.
  var local: Reservation?
  /// The new base; nil when the server has none.
  var base: ReservationAnswer?
  /// The decision, when there was one to make.
  var notice: SyncNotice?

  /// Merges one reservation, of which at least one side is there.
  /// - Parameters:
  ///   - local: what the device has.
  ///   - base: what both had when they last agreed.
  ///   - server: what the server has.
  ///   - now: the time of the decision.
  init(local: Reservation?, base: ReservationAnswer?, server: ReservationAnswer?, now: Date) {
    self.base = server
    let agreed = base?.reservation
    guard let server else {
      // Removed elsewhere, or never sent.
      guard let local else { return }
      if let base, local == base.reservation { return }
      self.local = local
      if base != nil { notice = Self.notice(.keptMyEdit, local, now, mine: local.date) }
      return
    }
    let theirs = server.reservation
    guard let local else {
      // Removed here, or new to this device.
      guard let base else {
        self.local = theirs
        return
      }
      guard theirs != base.reservation else { return }
      self.local = theirs
      notice = Self.notice(.restoredTheirEdit, theirs, now, theirs: theirs.date)
      return
    }
    var merged = theirs
    if local.date != agreed?.date, local.date != theirs.date {
      merged.date = local.date
      if theirs.date != agreed?.date {
        notice = Self.notice(.keptMyDate, local, now, mine: local.date, theirs: theirs.date)
      }
    }
    let sides = [local.status, theirs.status]
    merged.status = sides.first { $0 != agreed?.status } ?? theirs.status
    if local.status != agreed?.status, theirs.status != agreed?.status,
      sides.contains(.cancelled)
    {
      merged.status = .cancelled
    }
    self.local = merged
  }

  private static func notice(
    _ kind: SyncNotice.Kind, _ reservation: Reservation, _ now: Date, mine: Date? = nil,
    theirs: Date? = nil
  ) -> SyncNotice {
    SyncNotice(
      kind: kind, reservationID: reservation.id, landmarkID: reservation.landmarkID, mine: mine,
      theirs: theirs, made: now)
  }
}
