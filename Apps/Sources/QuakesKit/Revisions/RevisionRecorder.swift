import Foundation
import SwiftData
import SwiftDataExtras

/// Collects the forms of events that a document replaces, for the store's metadata, which are committed with the events.
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

  /// Notes that a stored event is from now on stored under another identifier, which isn't in the store yet: its life
  /// goes on there.
  /// - Parameters:
  ///   - stored: The event as it is stored.
  ///   - id: Its identifier from now on.
  ///   - moment: The time of the document.
  mutating func note(_ stored: Event, becomes id: String, at moment: Date) {
    // Of several events that become one, the first has the life.
    if let other = former[id], other <= stored.eventID { return }
    former[id] = stored.eventID
    replaced[id] = Revision(values: Revision.Values(stored), until: moment)
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
