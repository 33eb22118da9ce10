import Foundation
import LocalCopy
import SwiftData
import SwiftDataExtras

/// The details of an event as the store keeps them.
public struct KeptDetails: Hashable, Sendable {
  /// The event's identifier when they were loaded.
  public var event: String
  /// The address of the document.
  public var address: String
  /// The time at which the server last confirmed them.
  public var loaded: Date
  /// The event's `updated` at that time.
  public var eventUpdated: Date
  /// The details.
  public var details: EventDetails
  var validators = FeedValidators()

  /// The age from which details of recent events are loaded again, in seconds.
  static let maximumAge = 86_400.0
  /// The time for which an event is recent, in seconds: that of the longest feed.
  static let recent = 30 * 86_400.0
  /// The age from which details with a missing part are loaded again, in seconds.
  static let maximumAgeOfParts = 300.0

  /// Returns whether they are those of the event as it is now.
  /// - Parameter now: The time of the question.
  func areCurrent(for event: Event, at now: Date) -> Bool {
    // A withdrawn event has no document any more.
    if event.withdrawn != nil { return true }
    guard self.event == event.id, eventUpdated >= event.updated else { return false }
    // A time in the future is that of a clock that was set back.
    let age = abs(now.timeIntervalSince(loaded))
    if !details.missing.isEmpty, age >= Self.maximumAgeOfParts { return false }
    return age < Self.maximumAge || now.timeIntervalSince(event.time) > Self.recent
  }
}

extension QuakeStore {
  /// Returns the kept details of an event, or else those of its earthquake under an earlier identifier; nil when there
  /// are none.
  /// - Throws: ``QuakesError`` when the store cannot be read.
  public func keptDetails(of event: Event) throws -> KeptDetails? {
    try reading { context in
      let id = event.id
      let own = try context.fetch(
        FetchDescriptor<DetailsRecord>(predicate: #Predicate { $0.eventID == id }))
      if let kept = own.first.flatMap({ KeptDetails($0) }) { return kept }
      let others = Array(event.otherIdentifiers.prefix(100))
      guard !others.isEmpty else { return nil }
      let former = try context.fetch(
        FetchDescriptor<DetailsRecord>(predicate: #Predicate { others.contains($0.eventID) }))
      return former.compactMap { KeptDetails($0) }.max { $0.loaded < $1.loaded }
    }
  }

  /// Keeps details, instead of earlier ones of the event.
  /// - Throws: ``QuakesError`` when the store cannot be written.
  func keep(_ kept: KeptDetails) throws {
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      let record = DetailsRecord(
        eventID: kept.event, address: kept.address, loaded: kept.loaded,
        eventUpdated: kept.eventUpdated, entityTag: kept.validators.entityTag,
        lastModified: kept.validators.lastModified, content: try encoder.encode(kept.details))
      let batch = try BatchUpsert<DetailsRecord>(container, author: "details")
      try batch.upsert(record)
      try batch.commit()
    } catch {
      throw Self.failure("cannot be written", location, error)
    }
  }
}

extension KeptDetails {
  /// Creates the details of a record; nil when its content cannot be read, which is like none.
  fileprivate init?(_ record: DetailsRecord) {
    guard let details = try? JSONDecoder().decode(EventDetails.self, from: record.content) else {
      return nil
    }
    event = record.eventID
    address = record.address
    loaded = record.loaded
    eventUpdated = record.eventUpdated
    self.details = details
    validators = FeedValidators(
      entityTag: record.entityTag, lastModified: record.lastModified)
  }
}
