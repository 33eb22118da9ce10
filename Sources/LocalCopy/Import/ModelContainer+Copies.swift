import Foundation
import SwiftData
import SwiftDataCore

extension ModelContainer {
  /// Returns the time at which a copy in the container was last known to match its feed.
  ///
  /// It needs no ``LocalCopy``, and not the feed's address. In a container of several stores, the newest time counts,
  /// also of a store that has the record from the time when it had the copy's model.
  /// - Parameter name: The copy's name: ``LocalCopyConfiguration/name``, or by default ``FeedSource/identity``.
  /// - Returns: nil when there is no copy of this name, or its record can't be read.
  /// - Throws: ``LocalCopyError`` with the code `storeFailed` when the store can't be read.
  public func lastGood(ofCopyNamed name: String) throws -> Date? {
    let records: [Data]
    do {
      records = try core.stores.compactMap {
        try ($0 as? any BatchWriting)?.metadata(forKey: CopyRecord.key(name))
      }
    } catch {
      throw LocalCopyError(unreadable: error)
    }
    return records.compactMap { data in
      do { return try CopyRecord(data: data).lastGood } catch {
        SwiftDataLog.report(.warning, "LocalCopy", "The record of \(name) can't be read", error)
        return nil
      }
    }.max()
  }
}
