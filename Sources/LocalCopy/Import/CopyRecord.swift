import Foundation

/// The stored record of a copy, committed together with the copy itself.
package struct CopyRecord: Sendable, Codable, Hashable {
  /// The version of this format.
  package var version = 1
  /// The identity of the feed; validators of one feed are meaningless for another.
  package var source: String
  package var validators = FeedValidators()
  /// The time until which, according to the server, another request returns nothing new.
  package var freshUntil: Date?
  /// The time at which the copy was last known to match the feed.
  package var lastGood: Date
  package var report: RefreshReport

  /// The beginning of the keys of records.
  static let keyPrefix = "LocalCopy."

  /// The key of the record in the store.
  package static func key(_ name: String) -> String { keyPrefix + name }

  /// Decodes a record.
  /// - Throws: ``LocalCopyError`` with the code `stateUnreadable`.
  package init(data: Data) throws {
    do {
      self = try JSONDecoder().decode(CopyRecord.self, from: data)
    } catch {
      throw LocalCopyError(
        .stateUnreadable, reason: "What the store remembers of the last refresh can't be read",
        advice: "The next refresh fetches the whole feed."
      ).causedBy(error)
    }
  }

  package init(source: String, lastGood: Date, report: RefreshReport) {
    self.source = source
    self.lastGood = lastGood
    self.report = report
  }

  package func data() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(self)
  }
}
