import Foundation
import SwiftData

/// The kept details of an event.
@Model
final class DetailsRecord {
  /// The event's identifier when they were loaded.
  @Attribute(.unique) var eventID: String
  /// The address of the document.
  var address: String
  /// The time at which the server last confirmed them.
  var loaded: Date
  /// The event's `updated` at that time.
  var eventUpdated: Date
  /// The validators of the document, for conditional requests.
  var entityTag: String?
  var lastModified: String?
  /// The ``EventDetails`` as JSON.
  var content: Data

  init(
    eventID: String, address: String, loaded: Date, eventUpdated: Date, entityTag: String?,
    lastModified: String?, content: Data
  ) {
    self.eventID = eventID
    self.address = address
    self.loaded = loaded
    self.eventUpdated = eventUpdated
    self.entityTag = entityTag
    self.lastModified = lastModified
    self.content = content
  }
}
