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
      throw LocalCopyError(unreadable: error)
    }
  }

  /// The key under which earlier versions kept the record, with the whole query in it; nil when the key is the same.
  /// A name that begins with the feed's identity is one that began with its address.
  var formerKey: String? {
    let identity = source.identity.utf8
    guard let former = source.formerIdentity, name.utf8.starts(with: identity) else { return nil }
    return CopyRecord.key(
      former + String(decoding: name.utf8.dropFirst(identity.count), as: UTF8.self))
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

extension LocalCopyError {
  /// - Parameter error: The error of a store that can't be read.
  init(unreadable error: any Error) {
    self = LocalCopyError(
      .storeFailed, reason: "The store of the local copy can't be read: \(error)",
      advice: "Check the store's file and its permissions."
    ).causedBy(error)
  }
}
