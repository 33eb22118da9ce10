import Foundation
import LocalCopy
import SwiftData
import SwiftDataExtras

/// Reads one answer of an event service: a part of a back-fill.
///
/// Other than a feed's document, an answer says nothing about events that it doesn't list, and may be older than what
/// the store has. So all of it is compared with the store at the end, when no other program imports: a stored event
/// stays when its `updated` is later, and a withdrawal that was found after the answer was made stays, too.
final class BackfillReader: DocumentReader {
  /// The maximum number of events of an answer, which are kept in memory. Services send up to 20,000.
  static let limit = 100_000

  private let store: QuakeStore
  private let range: LoadedRange
  private let outcome: @Sendable (BackfillCounts) -> Void
  private var sent: [String: Quake] = [:]
  private var received = 0
  private var counts = BackfillCounts()
  private var recorder: RevisionRecorder

  /// - Parameters:
  ///   - store: The store as it was before the answer.
  ///   - range: The range that the answer is about.
  ///   - outcome: Gets the counts when everything but the commit is done.
  init(
    _ store: QuakeStore, _ range: LoadedRange,
    outcome: @escaping @Sendable (BackfillCounts) -> Void
  ) {
    self.store = store
    self.range = range
    self.outcome = outcome
    recorder = RevisionRecorder(store)
  }

  func model(of feature: SentFeature) throws -> Quake? {
    received += 1
    let quake = try Quake(feature)
    guard received <= Self.limit else { return nil }
    if let other = sent[feature.id], other.updated > quake.updated { return nil }
    sent[feature.id] = quake
    return nil
  }

  func conclude(_ document: FeedDocument) throws -> [Quake] {
    guard received <= Self.limit else {
      throw BackfillError(
        .tooLarge, range.seconds, reason: "the answer has \(received) events")
    }
    counts.received = document.report.received
    counts.skipped = document.report.skipped
    let moment = Self.generated(document) ?? document.report.startedAt
    let changed = try store.reading { context in
      let stored = try context.quakes(Array(sent.keys))
      let preferred = preferred()
      let former = try context.quakes(Array(preferred.keys))
      let marked = renamed(former, to: preferred, stored, at: moment)
      let heirs = (marked + former.values).filter { $0.replacement == preferred[$0.eventID] }
      return marked + revised(stored, heirs: Set(heirs.compactMap(\.replacement)), at: moment)
    }
    outcome(counts)
    return changed
  }

  func metadata(_ document: FeedDocument) throws -> [String: Data] {
    var entries = try recorder.metadata()
    entries[QuakeStore.loadedRangesKey] = try store.loadedRanges(adding: range)
    return entries
  }

  /// Returns the events that differ from the store, or aren't there.
  /// - Parameters:
  ///   - stored: Those of the answer's events that are stored.
  ///   - heirs: The identifiers of those that replace a stored event. What is stored of these isn't valid, either.
  ///   - moment: The time of the answer.
  private func revised(
    _ stored: [String: Quake], heirs: Set<String>, at moment: Date
  ) -> [Quake] {
    var changed: [Quake] = []
    for (id, quake) in sent {
      let isKept = range.rule.keeps(quake.magnitude)
      guard let old = stored[id] else {
        if isKept || heirs.contains(id) {
          counts.inserted += 1
          changed.append(quake)
        } else {
          counts.filtered += 1
        }
        continue
      }
      guard old.updated <= quake.updated else {
        counts.older += 1
        continue
      }
      if quake.withdrawn == nil, let withdrawn = old.withdrawn, withdrawn >= moment {
        quake.withdrawn = withdrawn
        quake.replacement = old.replacement
      }
      // An event that was revised to a magnitude that the rule leaves out is updated, too: what is stored isn't valid.
      if old.snapshot.values == quake.snapshot.values {
        counts.unchanged += 1
      } else {
        counts.updated += 1
        recorder.note(old.snapshot, becomes: Revision.Values(quake.snapshot), at: moment)
        changed.append(quake)
      }
    }
    return changed
  }

  /// Returns the identifiers of the answer's events by the other ones of the same earthquake, without those that are
  /// listed, too.
  private func preferred() -> [String: String] {
    var preferred: [String: String] = [:]
    for (id, quake) in sent {
      for alias in EventIdentifier.others(in: quake.aliases, than: id) where sent[alias] == nil {
        preferred[alias] = id
      }
    }
    return preferred
  }

  /// Returns the stored events under former identifiers, marked as replaced, where the answer is newer.
  private func renamed(
    _ former: [String: Quake], to preferred: [String: String], _ stored: [String: Quake],
    at moment: Date
  ) -> [Quake] {
    let marked = former.compactMap { id, quake -> Quake? in
      guard let replacement = preferred[id], quake.updated <= moment,
        quake.withdrawn.map({ $0 < moment && quake.replacement != replacement }) ?? true
      else { return nil }
      return recorder.rename(
        quake, to: replacement, isStored: stored[replacement] != nil, at: moment)
    }
    counts.renamed = marked.count
    return marked
  }

  private static func generated(_ document: FeedDocument) -> Date? {
    struct Metadata: Decodable {
      var generated: Double?
    }
    do {
      let metadata = try document.decode(Metadata.self, at: "metadata")
      guard let milliseconds = metadata?.generated, milliseconds > 0, milliseconds <= 8.64e15
      else { return nil }
      return Date(timeIntervalSince1970: milliseconds / 1_000)
    } catch {
      return nil  // A time of another form is none.
    }
  }
}

extension Quake.Snapshot {
  /// The snapshot without the row that it is of, for comparisons.
  fileprivate var values: Quake.Snapshot {
    var values = self
    values.persistentModelID = nil
    return values
  }
}

extension ModelContext {
  /// Returns the stored events with these identifiers, fetched in batches that fit into a statement.
  func quakes(_ identifiers: [String]) throws -> [String: Quake] {
    var found: [String: Quake] = [:]
    for descriptor in Self.descriptors(of: identifiers) {
      for quake in try fetch(descriptor) { found[quake.eventID] = quake }
    }
    return found
  }

  /// Passes the values of the stored events with these identifiers to `body`.
  func forEachEvent(_ identifiers: [String], _ body: (Event) -> Void) throws {
    for descriptor in Self.descriptors(of: identifiers) {
      for event in try snapshots(descriptor) { body(event) }
    }
  }

  private static func descriptors(
    of identifiers: [String]
  ) -> some Sequence<FetchDescriptor<Quake>> {
    stride(from: 0, to: identifiers.count, by: 500).lazy.map { start in
      let piece = Array(identifiers[start..<min(start + 500, identifiers.count)])
      return FetchDescriptor(predicate: #Predicate { piece.contains($0.eventID) })
    }
  }
}
