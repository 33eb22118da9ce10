/// Events that appeared, changed or went away.
public struct EventChanges: Hashable, Sendable {
  /// The most events that are told one by one; with more, whoever shows events reads them anew.
  public static let limit = 500

  /// Events that are new.
  public private(set) var inserted: [Event]
  /// Events that have changed, as they are now.
  public private(set) var updated: [Event]
  /// The identifiers of events that are gone.
  public private(set) var deleted: [String]
  /// More changed than is listed, or nobody knows what: events have to be read anew.
  public private(set) var reload: Bool

  /// Changes; with more than ``limit`` of them, no more than that there are some.
  public init(
    inserted: [Event] = [], updated: [Event] = [], deleted: [String] = [], reload: Bool = false
  ) {
    let isTooMuch = reload || inserted.count + updated.count + deleted.count > Self.limit
    self.inserted = isTooMuch ? [] : inserted
    self.updated = isTooMuch ? [] : updated
    self.deleted = isTooMuch ? [] : deleted
    self.reload = isTooMuch
  }

  /// Anything may have changed.
  public static let unknown = EventChanges(reload: true)

  /// Whether nothing changed.
  public var isEmpty: Bool {
    !reload && inserted.isEmpty && updated.isEmpty && deleted.isEmpty
  }

  /// Adds what happened afterwards, so that the result says the same as both one after the other.
  public mutating func merge(_ later: EventChanges) {
    guard !isEmpty else { return self = later }
    guard !reload, !later.reload else { return self = .unknown }
    let added = Set(inserted.map(\.id))
    let removed = Set(deleted)
    let touched = Set(later.inserted.map(\.id) + later.updated.map(\.id) + later.deleted)
    var inserted = inserted.filter { !touched.contains($0.id) }
    var updated = updated.filter { !touched.contains($0.id) }
    var deleted = deleted.filter { !touched.contains($0) }
    // What went and came back is, for those who had it, a change.
    for event in later.inserted {
      if removed.contains(event.id) { updated.append(event) } else { inserted.append(event) }
    }
    for event in later.updated {
      if added.contains(event.id) { inserted.append(event) } else { updated.append(event) }
    }
    deleted += later.deleted.filter { !added.contains($0) }
    self = EventChanges(inserted: inserted, updated: updated, deleted: deleted)
  }
}
