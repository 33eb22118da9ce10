import Foundation
import SwiftData
import SwiftDataExtras

/// Collects the forms of events that a document replaces, for the store's metadata, which are committed with the
/// events.
struct RevisionRecorder {
  /// The maximum number of earlier forms of an event that are kept: the first one, and the latest ones.
  static let limit = 100

  private let store: QuakeStore
  private var replaced: [String: Revision] = [:]
  /// The identifiers that events had before, by those that they are first stored under now.
  private var former: [String: String] = [:]

  /// - Parameter store: The store as it was before the document.
  init(_ store: QuakeStore) { self.store = store }

  /// Notes that a stored event gets other values, if its revisions are about these.
  /// - Parameters:
  ///   - stored: The event as it is stored.
  ///   - values: Its values from now on.
  ///   - moment: The time of the document.
  mutating func note(_ stored: Event, becomes values: Revision.Values, at moment: Date) {
    let old = Revision.Values(stored)
    guard old.differ(from: values) else { return }
    replaced[stored.eventID] = Revision(values: old, until: moment)
  }

  /// Returns a copy of a stored event that is marked as withdrawn, see ``Quake/markedWithdrawn(at:replacement:)``, and
  /// notes its stored form.
  mutating func withdraw(_ quake: Quake, at moment: Date, replacement: String? = nil) -> Quake {
    let marked = quake.markedWithdrawn(at: moment, replacement: replacement)
    note(quake.snapshot, becomes: Revision.Values(marked.snapshot), at: moment)
    return marked
  }

  /// Returns a copy of a stored event that is marked as replaced by another identifier. If that isn't stored yet, the
  /// event's life goes on there.
  /// - Parameters:
  ///   - quake: The event as it is stored.
  ///   - id: Its identifier from now on.
  ///   - isStored: Whether the store has an event with that identifier.
  ///   - moment: The time of the document.
  mutating func rename(_ quake: Quake, to id: String, isStored: Bool, at moment: Date) -> Quake {
    // Of several events that become one, the first has the life.
    if !isStored, former[id].map({ quake.eventID < $0 }) ?? true {
      former[id] = quake.eventID
      replaced[id] = Revision(values: Revision.Values(quake.snapshot), until: moment)
    }
    return withdraw(quake, at: quake.withdrawn ?? moment, replacement: id)
  }

  /// Returns the values to store, with the earlier revisions of the events.
  /// - Throws: ``QuakesError`` when the store cannot be read.
  func metadata() throws -> [String: Data] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    var entries: [String: Data] = [:]
    for (id, revision) in replaced {
      var revisions = try store.revisions(of: former[id] ?? id)
      revisions.append(revision)
      if revisions.count > Self.limit {
        revisions.removeSubrange(1..<revisions.count - Self.limit + 1)
      }
      entries[QuakeStore.revisionsKey(of: id)] = try encoder.encode(revisions)
    }
    return entries
  }
}

extension QuakeStore {
  /// The key of an event's revisions among the store's metadata.
  static func revisionsKey(of id: String) -> String { "Quakes.revisions." + id }

  /// Returns the earlier forms of an event, oldest first. They are kept from the first refresh that finds another form;
  /// at most 100, the first one and the latest ones.
  /// - Parameter id: The identifier that the event has in the store.
  /// - Throws: ``QuakesError`` when the store or its record of them cannot be read.
  public func revisions(of id: String) throws -> [Revision] {
    do {
      guard let data = try container.storeMetadata(forKey: Self.revisionsKey(of: id)) else {
        return []
      }
      return try JSONDecoder().decode([Revision].self, from: data)
    } catch let error as DecodingError {
      throw QuakesError(
        .storeFailure, location.description,
        reason: "the record of the revisions of \(id) cannot be read: \(error)")
    } catch {
      throw unreadable(error)
    }
  }
}
