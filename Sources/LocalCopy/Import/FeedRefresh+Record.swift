import Foundation
import SwiftDataCore

/// Reads the stored record of the copy, regardless of which process refreshed the copy last.
extension FeedRefresh {
  /// Returns the last committed record's data; nil when there is none.
  func storedData() throws -> Data? {
    do {
      if let ownKey, let data = try store.metadata(forKey: ownKey) { return data }
      return try sharedData().flatMap { isOfOtherContent($0) ? nil : $0 }
    } catch {
      throw LocalCopyError(unreadable: error)
    }
  }

  /// Returns the data under the name alone, of whichever copy of this name was the first.
  private func sharedData() throws -> Data? {
    try store.metadata(forKey: CopyRecord.key(name))
      ?? formerKey.flatMap { try store.metadata(forKey: $0) }
  }

  /// The key for a copy whose name another copy has, too: one of other elements, or as other models.
  private var ownKey: String? { content.map { CopyRecord.key("\(name) \($0)") } }

  /// Whether data are the record of a copy of other elements of this document, or as other models.
  private func isOfOtherContent(_ data: Data) -> Bool {
    guard let content else { return false }
    do { return try CopyRecord(data: data).content.map { $0 != content } ?? false } catch {
      // It is reported where it is used.
      return false
    }
  }

  /// Returns the key of the record to write. It is called in the write transaction, so that no two copies of one name
  /// take the name alone.
  func keyToWrite() throws -> String {
    guard let ownKey else { return CopyRecord.key(name) }
    let isApart =
      try store.metadata(forKey: ownKey) != nil
      || sharedData().map(isOfOtherContent) == true
    return isApart ? ownKey : CopyRecord.key(name)
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
