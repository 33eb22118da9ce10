import Foundation
import SwiftDataCore

/// Reads the stored record of the copy, regardless of which process refreshed the copy last.
extension FeedRefresh {
  /// Returns the last committed record's data; nil when there is none.
  func storedData() throws -> Data? {
    do {
      return try store.metadata(forKey: CopyRecord.key(name))
        ?? formerKey.flatMap { try store.metadata(forKey: $0) }
    } catch {
      throw LocalCopyError(
        .storeFailed, reason: "The store of the local copy can't be read: \(error)",
        advice: "Check the store's file and its permissions."
      ).causedBy(error)
    }
  }

  /// The key under which earlier versions kept the record, with the whole query in it; nil when the key is the same.
  var formerKey: String? {
    name == source.identity ? source.formerIdentity.map { CopyRecord.key($0) } : nil
  }

  func isOfThisFeed(_ record: CopyRecord) -> Bool {
    record.source == source.identity || record.source == source.formerIdentity
  }

  /// Decodes a committed record; returns nil for a record of another feed. An unreadable record costs a complete
  /// transfer, but doesn't prevent the application from starting.
  func record(in data: Data) -> CopyRecord? {
    do {
      let record = try CopyRecord(data: data)
      return isOfThisFeed(record)
        ? record.adapted(toRevision: form.revision, form.properties) : nil
    } catch {
      SwiftDataLog.report(
        .warning, "LocalCopy", "The record of \(name) can't be read: all is downloaded again", error
      )
      return nil
    }
  }
}
