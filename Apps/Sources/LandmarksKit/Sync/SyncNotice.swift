import Foundation
import SwiftDataSync

/// A notice of a decision that was made for the user: by this device's rules, by the server, or elsewhere.
public struct SyncNotice: Hashable, Sendable {
  /// The kind of decision.
  public enum Kind: String, Sendable {
    /// Both sides had changed a reservation's date; this device's date was kept.
    case keptMyDate
    /// The reservation was changed here and removed elsewhere; it was kept.
    case keptMyEdit
    /// The reservation was removed here and changed elsewhere; it was restored.
    case restoredTheirEdit
    /// Both sides had changed the same lines of a reservation's note; it has the lines of both.
    case mergedNote
    /// The user planned a visit at a date, and it was moved elsewhere since.
    case movedElsewhere
    /// The user planned a visit, and it was cancelled elsewhere since.
    case cancelledElsewhere
    /// The user cancelled a visit, and it was booked again elsewhere since.
    case bookedElsewhere
    /// The user planned a visit, and it was removed elsewhere since.
    case removedElsewhere
    /// Both sides had changed a photo's caption; this device's was kept.
    case keptMyCaption
    /// The user gave a photo a caption, and it was changed elsewhere since.
    case captionedElsewhere
    /// The server refused a change; the change and the notice stay on this device.
    case refused
  }

  public var kind: Kind
  /// The reservation; nil if the notice is about a favorite, or about a photo that was removed.
  public var reservationID: UUID?
  /// The photo that the notice is about; nil if it is about a reservation or a favorite.
  public var photoID: UUID?
  /// The landmark; nil if it is no longer known.
  public var landmarkID: Int?
  /// This device's date.
  public var mine: Date?
  /// The other side's date.
  public var theirs: Date?
  /// This device's note on a visit that was removed elsewhere.
  public var note: String?
  /// This device's caption of a photo.
  public var caption: String?
  /// The other side's caption.
  public var otherCaption: String?
  /// The server's reason.
  public var detail: String?
  /// The dates that the server would take instead of that of a refused reservation.
  public var choices: [Date] = []
  public var made: Date

  public init(
    kind: Kind, reservationID: UUID?, landmarkID: Int?, mine: Date? = nil, theirs: Date? = nil,
    note: String? = nil, detail: String? = nil, made: Date
  ) {
    self.kind = kind
    self.reservationID = reservationID
    self.landmarkID = landmarkID
    self.mine = mine
    self.theirs = theirs
    self.note = note
    self.detail = detail
    self.made = made
  }

  /// Creates the notice of a conflict that was decided; nil if the user needn't know of it.
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
    } else if conflict.properties.contains("note"),
      conflict.mergedText(of: "note")?.hasOverlaps == true
    {
      kind = .mergedNote
    } else {
      return nil
    }
    reservationID = id
    landmarkID = (conflict.local ?? conflict.remote)?["landmarkID"]?.number
      .flatMap { Int(exactly: $0) }
    mine = Self.date(conflict.local)
    theirs = Self.date(conflict.remote)
    made = resolution.date ?? .distantPast
  }

  /// Creates the notice of two captions, of which this device's was kept; nil for another conflict.
  init?(ofCaption resolution: SyncResolution) {
    let conflict = resolution.conflict
    guard conflict.object.entity == LandmarkSync.photo, resolution.decision == .client,
      conflict.properties.contains("caption"),
      let photo = UUID(uuidString: conflict.object.key),
      let mine = conflict.local?["caption"]?.text, let theirs = conflict.remote?["caption"]?.text
    else { return nil }
    kind = .keptMyCaption
    photoID = photo
    reservationID = conflict.local?["reservationID"]?.text.flatMap { UUID(uuidString: $0) }
    caption = mine
    otherCaption = theirs
    made = resolution.date ?? .distantPast
  }

  /// The precision of the time of a notice in seconds, as others are told it.
  static let precision: TimeInterval = 0.001

  /// The object that the notice is about.
  var subject: UUID? { photoID ?? reservationID }

  /// Creates the notice of a change that the server refused; nil for a change that only waits.
  init?(_ change: WaitingChange) {
    guard case .refused(let reason) = change.reason else { return nil }
    kind = .refused
    detail = reason
    choices = change.choices
    made = change.date ?? .distantPast
    switch change.subject {
    case .favorite(let id, _): landmarkID = id
    case .reservation(let id, let landmark): (reservationID, landmarkID) = (id, landmark)
    case .removal(let id): reservationID = id
    case .photo(let id, let visit): (photoID, reservationID) = (id, visit)
    case .photoRemoval(let id): photoID = id
    }
  }

  private static func date(_ values: SyncValues?) -> Date? {
    values?["date"]?.number.map { Date(timeIntervalSinceReferenceDate: $0) }
  }
}

extension LandmarkSync {
  /// Returns the decisions and changes elsewhere that weren't dismissed, and the changes that the server refused,
  /// latest first.
  /// - Parameters:
  ///   - waiting: The waiting changes, as ``waiting()`` returned them.
  ///   - now: The current date; changes of visits that are over aren't told.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  public func notices(
    _ waiting: [WaitingChange], now: Date = .now
  ) async throws -> [SyncNotice] {
    let decided = try await decisions()
    let latest = Dictionary(decided) { first, _ in first }
    var elsewhere = try store.changesElsewhere(now: now) + store.captionsElsewhere()
    for index in elsewhere.indices {
      guard let subject = elsewhere[index].subject else { continue }
      // A decision that was changed elsewhere since doesn't hold any more; it is dismissed with the change's notice.
      guard let decision = latest[subject] else { continue }
      elsewhere[index].made = max(elsewhere[index].made, decision.made)
    }
    let changed = Set(elsewhere.compactMap(\.subject))
    let standing = decided.filter { !changed.contains($0.subject) }.map(\.notice)
    // Equal times, as those of one exchange, keep the order.
    return (standing + waiting.compactMap { SyncNotice($0) } + elsewhere)
      .sorted { $0.made > $1.made }
  }

  /// Returns the notices of decisions with their subjects, the latest first. A later decision about a subject replaces
  /// an earlier one.
  private func decisions() async throws -> [(subject: UUID, notice: SyncNotice)] {
    let conflicts: [SyncResolution]
    do { conflicts = try await engine.conflicts() } catch { throw store.failure("read", error) }
    var seen: Set<SyncObjectID> = []
    var found: [(subject: UUID, notice: SyncNotice)] = []
    for conflict in conflicts where seen.insert(conflict.conflict.object).inserted {
      guard let notice = SyncNotice(conflict) ?? SyncNotice(ofCaption: conflict),
        let subject = notice.subject
      else { continue }
      found.append((subject, notice))
    }
    return found
  }

  /// Dismisses the notices of decisions about a reservation or a photo, here or elsewhere.
  /// The notice of a refused change stays as long as the server refuses it.
  /// - Parameters:
  ///   - id: The reservation or the photo.
  ///   - made: The time of the notice that the user has seen, which may have been told in milliseconds: later notices
  ///     stay; nil for all.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  public func dismissNotice(of id: UUID, made: Date? = nil) async throws {
    let last = made.map { $0.addingTimeInterval(SyncNotice.precision) }
    let decided = try await decisions().first { $0.subject == id }?.notice.made
    do {
      for entity in [Self.reservation, Self.photo] {
        try await engine.dismissConflicts(
          about: SyncObjectID(entity, id.uuidString), through: last)
      }
    } catch { throw store.failure("written", error) }
    try store.acceptVisit(id, made: made, decided: decided)
    try store.acceptCaption(of: id, made: made, decided: decided)
  }
}
