/// Events that were inserted, updated or deleted.
public struct EventChanges: Hashable, Sendable {
  /// The maximum number of events that are listed individually. If more changed, views have to read
  /// the events again.
  public static let limit = 500

  /// The inserted events.
  public private(set) var inserted: [Event]
  /// The updated events, with their current values.
  public private(set) var updated: [Event]
  /// The identifiers of deleted events.
  public private(set) var deleted: [String]
  /// Whether the events have to be read again: more have changed than are listed, or the changes
  /// are unknown.
  public private(set) var reload: Bool

  /// Creates changes; if there are more than ``limit``, the result only says that there are some.
  public init(
    inserted: [Event] = [], updated: [Event] = [], deleted: [String] = [], reload: Bool = false
  ) {
    let isTooMuch = reload || inserted.count + updated.count + deleted.count > Self.limit
    self.inserted = isTooMuch ? [] : inserted
    self.updated = isTooMuch ? [] : updated
    self.deleted = isTooMuch ? [] : deleted
    self.reload = isTooMuch
  }

  /// Unknown changes: any event may have changed.
  public static let unknown = EventChanges(reload: true)

  /// Whether nothing changed.
  public var isEmpty: Bool {
    !reload && inserted.isEmpty && updated.isEmpty && deleted.isEmpty
  }

  /// The changes for readers that don't get replaced events, as no query gives them: events that others have replaced
  /// count as deleted.
  package var withoutReplaced: EventChanges {
    guard !reload else { return self }
    let replaced = updated.filter { $0.replacement != nil }.map(\.id)
    return EventChanges(
      inserted: inserted.filter { $0.replacement == nil },
      updated: updated.filter { $0.replacement == nil }, deleted: deleted + replaced)
  }

  /// Adds later changes, so that the result is equivalent to both in sequence.
  public mutating func merge(_ later: EventChanges) {
    guard !isEmpty else { return self = later }
    guard !reload, !later.reload else { return self = .unknown }
    let added = Set(inserted.map(\.id))
    let removed = Set(deleted)
    let touched = Set(later.inserted.map(\.id) + later.updated.map(\.id) + later.deleted)
    var inserted = inserted.filter { !touched.contains($0.id) }
    var updated = updated.filter { !touched.contains($0.id) }
    var deleted = deleted.filter { !touched.contains($0) }
    // For readers that had the event, a deletion followed by an insertion is an update.
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
