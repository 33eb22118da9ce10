import Foundation
import SwiftDataSync

/// Something that was decided for the user, by this device's rules or by the server.
public struct SyncNotice: Hashable, Sendable {
  /// What was decided.
  public enum Kind: String, Sendable {
    /// Both had given a reservation another date; this device's was kept.
    case keptMyDate
    /// It was changed here and removed elsewhere; it was kept.
    case keptMyEdit
    /// It was removed here and changed elsewhere; it is back.
    case restoredTheirEdit
    /// The server refused a change; it stays on this device, and the notice with it.
    case refused
  }

  public var kind: Kind
  /// The reservation; nil when it is about a favourite.
  public var reservationID: UUID?
  /// The landmark; nil when nobody knows any more.
  public var landmarkID: Int?
  /// This device's date.
  public var mine: Date?
  /// The other side's date.
  public var theirs: Date?
  /// The server's reason.
  public var detail: String?
  public var made: Date

  public init(
    kind: Kind, reservationID: UUID?, landmarkID: Int?, mine: Date? = nil, theirs: Date? = nil,
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

  /// What is said of a conflict that was decided; nil for one that needs no word.
  init?(_ resolution: SyncResolution) {
    let conflict = resolution.conflict
    guard conflict.object.entity == LandmarkSync.reservation, resolution.result != nil,
      let id = UUID(uuidString: conflict.object.key)
    else { return nil }
    if conflict.remote == nil {
      kind = .keptMyEdit
    } else if conflict.local == nil {
      kind = .restoredTheirEdit
    } else if conflict.properties.contains("date") {
      kind = .keptMyDate
    } else {
      return nil
    }
    reservationID = id
    landmarkID = (conflict.local ?? conflict.remote)?["landmarkID"]?.number.map { Int($0) }
    mine = Self.date(conflict.local)
    theirs = Self.date(conflict.remote)
    made = resolution.date ?? .distantPast
  }

  /// What is said of a change that the server refused; nil for one that only waits.
  init?(_ change: WaitingChange) {
    guard case .refused(let reason) = change.reason else { return nil }
    kind = .refused
    detail = reason
    made = change.date ?? .distantPast
    switch change.subject {
    case .favorite(let id, _): landmarkID = id
    case .reservation(let id, let landmark): (reservationID, landmarkID) = (id, landmark)
    case .removal(let id): reservationID = id
    }
  }

  private static func date(_ values: SyncValues?) -> Date? {
    values?["date"]?.number.map { Date(timeIntervalSinceReferenceDate: $0) }
  }
}

extension LandmarkSync {
  /// What was decided for the user and not dismissed, and what the server refused, the latest first.
  /// - Parameter waiting: what waits, as ``waiting()`` gave it.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  public func notices(_ waiting: [WaitingChange]) async throws -> [SyncNotice] {
    let conflicts: [SyncResolution]
    do { conflicts = try await engine.conflicts() } catch { throw store.failure("read", error) }
    // A later decision about the same reservation takes the place of an earlier one.
    var seen: Set<SyncObjectID> = []
    let decided = conflicts.filter { seen.insert($0.conflict.object).inserted }
    return (decided.compactMap { SyncNotice($0) } + waiting.compactMap { SyncNotice($0) })
      .sorted { $0.made > $1.made }
  }

  /// Forgets the decision about a reservation, if there is one. What the server refused stays as long as it refuses.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  public func dismissNotice(of id: UUID) async throws {
    do {
      try await engine.dismissConflicts(about: SyncObjectID(Self.reservation, id.uuidString))
    } catch { throw store.failure("written", error) }
  }
}
