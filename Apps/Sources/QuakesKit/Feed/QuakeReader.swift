import Foundation
import LocalCopy
import SwiftData

/// Reads one document of an earthquake feed: makes events of its features, finds the stored events that are no longer
/// valid, and records the earlier forms of those that change.
///
/// USGS's feeds report a deletion by leaving the event out. They report a new preferred identifier by listing the event
/// under it, with the old one in `ids`. Detecting either needs the whole document.
final class QuakeReader: DocumentReader {
  /// The maximum number of events of a document whose identifiers are kept in memory. Above it (USGS's month has about
  /// 26,000), missing events aren't detected.
  static let limit = 200_000

  private let store: QuakeStore
  private let rule: MagnitudeRule
  private let feedName: String
  /// The identifiers of all features that have one.
  private var listed: Set<String> = []
  /// The preferred identifier for each of the other identifiers.
  private var preferred: [String: String] = [:]
  /// Features that the rule leaves out; they may be revisions of stored events.
  private var leftOut: [String: Quake] = [:]
  /// The values of all features that revisions are about.
  private var values: [String: Revision.Values] = [:]
  private var recorder: RevisionRecorder
  private var identified = 0

  /// - Parameters:
  ///   - store: The store as it was before the document.
  ///   - rule: The rule for the events that are kept.
  ///   - feedName: The name of the requested feed.
  init(_ store: QuakeStore, rule: MagnitudeRule, feedName: String) {
    self.store = store
    self.rule = rule
    self.feedName = feedName
    recorder = RevisionRecorder(store)
  }

  func model(of sent: SentFeature) throws -> Quake? {
    identified += 1
    let isRemembered = identified <= Self.limit
    // No event is stored under another identifier, which may be of any length.
    if isRemembered, EventIdentifier.isUsable(sent.id) { listed.insert(sent.id) }
    let quake = try Quake(sent)
    let isKept = rule.keeps(sent.properties.mag)
    if isRemembered {
      for alias in EventIdentifier.others(in: quake.aliases, than: sent.id) {
        preferred[alias] = sent.id
      }
      values[sent.id] = Revision.Values(quake.snapshot)
      if !isKept { leftOut[sent.id] = quake }
    }
    return isKept ? quake : nil
  }

  func conclude(_ document: FeedDocument) throws -> [Quake] {
    guard identified <= Self.limit else { return [] }
    let coverage = FeedCoverage(document, name: feedName)
    let moment = coverage?.generated ?? document.report.startedAt
    // A feature that couldn't be read may be any event.
    let isComplete = identified == document.report.received
    return try store.reading { context in
      let former = try formerForms(context)
      var marked = try renamed(former, at: moment, context)
      marked += try revised(former, context)
      if let coverage, isComplete { marked += try missing(from: coverage, context) }
      if document.report.updated > 0 || !leftOut.isEmpty { try record(at: moment, context) }
      return marked
    }
  }

  func metadata(_ document: FeedDocument) throws -> [String: Data] { try recorder.metadata() }

  /// Records the stored forms of listed events.
  private func record(at moment: Date, _ context: ModelContext) throws {
    try context.forEachEvent(Array(values.keys)) { event in
      guard let new = values[event.id] else { return }
      recorder.note(event, becomes: new, at: moment)
    }
  }

  /// Returns the stored events whose earthquake the feed lists under another identifier.
  private func formerForms(_ context: ModelContext) throws -> [Quake] {
    // Events that are listed under both identifiers are left as the feed has them.
    try Array(context.quakes(preferred.keys.filter { !listed.contains($0) }).values)
  }

  /// Returns those of the events under former identifiers that aren't marked as replaced.
  private func renamed(
    _ former: [Quake], at moment: Date, _ context: ModelContext
  ) throws -> [Quake] {
    let renamed = former.filter { quake in
      guard let replacement = preferred[quake.eventID] else { return false }
      return quake.withdrawn == nil || quake.replacement != replacement
    }
    let stored = try context.quakes(renamed.compactMap { preferred[$0.eventID] })
    return renamed.compactMap { quake in
      guard let replacement = preferred[quake.eventID] else { return nil }
      return recorder.rename(
        quake, to: replacement, isStored: stored[replacement] != nil, at: moment)
    }
  }

  /// Returns the present forms of stored events that were revised so that the rule leaves them out, also under another
  /// identifier: their stored values are no longer valid.
  private func revised(_ former: [Quake], _ context: ModelContext) throws -> [Quake] {
    let stored = try context.quakes(Array(leftOut.keys)).keys
    let heirs = former.compactMap { preferred[$0.eventID] }
    return Set(stored).union(heirs).compactMap { leftOut[$0] }
  }

  /// Returns stored events that the feed should list and doesn't.
  private func missing(from coverage: FeedCoverage, _ context: ModelContext) throws -> [Quake] {
    let (since, end) = (coverage.since, coverage.generated)
    let standing = FetchDescriptor<Quake>(
      predicate: #Predicate {
        $0.withdrawn == nil && $0.time >= since && $0.time <= end
      })
    return try context.fetch(standing).compactMap { quake in
      guard !listed.contains(quake.eventID), preferred[quake.eventID] == nil,
        // A back-fill may have brought an event that is newer than the document.
        quake.updated <= end,
        coverage.includes(magnitude: quake.magnitude, significance: quake.significance)
      else { return nil }
      return recorder.withdraw(quake, at: coverage.generated)
    }
  }
}
