import Foundation
import SwiftData
import SwiftDataCore
import SwiftDataSQLite

extension ModelContainer {
  /// Returns the time at which a copy in the container was last known to match its feed.
  ///
  /// It needs no ``LocalCopy``, and not the feed's address.
  /// - Parameter name: The copy's name: ``LocalCopyConfiguration/name``, or by default ``FeedSource/identity``.
  /// - Returns: nil when there is no copy of this name, or its record can't be read.
  /// - Throws: ``LocalCopyError`` with the code `storeFailed` when the store can't be read.
  public func lastGood(ofCopyNamed name: String) throws -> Date? {
    let data: Data?
    do { data = try storeMetadata(forKey: CopyRecord.key(name)) } catch {
      throw LocalCopyError(unreadable: error)
    }
    do { return try data.map { try CopyRecord(data: $0).lastGood } } catch {
      SwiftDataLog.report(.warning, "LocalCopy", "The record of \(name) can't be read", error)
      return nil
    }
  }
}
