import Foundation

/// What the store remembers of the copy, whoever refreshed it last.
extension FeedRefresh {
  /// What was last committed; nil when nothing was.
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

  /// The key under which earlier versions kept the record, with the whole query in it; nil when it is the same.
  var formerKey: String? {
    name == source.identity ? source.formerIdentity.map { CopyRecord.key($0) } : nil
  }

  func isOfThisFeed(_ record: CopyRecord) -> Bool {
    record.source == source.identity || record.source == source.formerIdentity
  }

  /// The record in what was committed; nil when it is of another feed. One that can't be read costs
  /// a whole transfer, not the start of the application.
  func record(in data: Data) -> CopyRecord? {
    do {
      let record = try CopyRecord(data: data)
      return isOfThisFeed(record) ? record : nil
    } catch {
      logger.warning("starting over", metadata: ["error": "\(error)"])
      return nil
    }
  }
}
