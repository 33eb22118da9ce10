import Foundation
import SwiftDataCore

/// The stored record of a copy, committed together with the copy itself.
package struct CopyRecord: Sendable, Codable, Hashable {
  /// The version of this format.
  package var version = 1
  /// The identity of the feed; validators of one feed are meaningless for another.
  package var source: String
  package var validators = FeedValidators()
  /// The address that the validators are of, after redirects, without its query; nil in records of earlier versions.
  package var validated: String?
  /// The time until which, according to the server, another request returns nothing new.
  package var freshUntil: Date?
  /// The time at which the copy was last known to match the feed.
  package var lastGood: Date
  package var report: RefreshReport
  /// The revision of the program's mapping with which the copy was made; nil in records of earlier versions.
  package var revision: Int?
  /// The sorted names of the model's properties then; nil when they aren't known.
  package var properties: [String]?
  /// The model's entity and the path of the elements; nil in records of earlier versions, and when they aren't known.
  package var content: String?

  /// The beginning of the keys of records.
  static let keyPrefix = CopyRecords.keyPrefix

  /// The key of the record in the store.
  package static func key(_ name: String) -> String { keyPrefix + name }

  /// Decodes a record.
  /// - Throws: ``LocalCopyError`` with the code `stateUnreadable`.
  package init(data: Data) throws {
    do {
      self = try JSONDecoder().decode(CopyRecord.self, from: data)
    } catch {
      throw LocalCopyError(
        .stateUnreadable, reason: "The record of the last refresh in the store can't be read",
        advice: "The next refresh fetches the whole feed."
      ).causedBy(error)
    }
  }

  package init(source: String, lastGood: Date, report: RefreshReport) {
    self.source = source
    self.lastGood = lastGood
    self.report = report
  }

  /// Returns the record without what makes another request unnecessary when the copy was made in another form: "not
  /// modified" would keep values that the document had, but the copy has not.
  func adapted(toRevision revision: Int, _ properties: [String]?) -> CopyRecord {
    let isSame = self.properties == nil || properties == nil || self.properties == properties
    guard self.revision ?? 0 != revision || !isSame else { return self }
    var record = self
    record.validators = FeedValidators()
    record.freshUntil = nil
    return record
  }

  package func data() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(self)
  }
}
