import Foundation
import HTTPTypes
import LandmarksKit
import SwiftData
import SwiftDataSync

extension ServedStore {
  /// The newest revision, and the ranges of revisions that were skipped (`SyncPage.skippedVersions`).
  struct Revisions: Hashable, Sendable {
    var newest: Int
    var skipped: [ClosedRange<Int>]

    /// The header fields that tell them to devices.
    var fields: HTTPFields {
      var fields = HTTPFields()
      if let name = HTTPField.Name("Sync-Version") { fields[name] = "\(newest)" }
      if let name = HTTPField.Name("Sync-Skipped"), !skipped.isEmpty {
        fields[name] = skipped.map { "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: ", ")
      }
      return fields
    }
  }

  /// The revision that devices keep with the marks of servers that named none: it counts as one of this store.
  private static let unnamed = 1

  /// The greatest newest revision with which a server goes on.
  private static let maximumRevision = Int.max / 2

  /// Returns the revisions at this time.
  func revisions() throws -> Revisions {
    let context = ModelContext(container)
    return Revisions(
      newest: max(Self.unnamed, try Self.counter(context)?.value ?? 0),
      skipped: try Self.skips(context).reversed().map { $0.first...max($0.first, $0.last) })
  }

  /// Returns the next revision. The first one since the start is beyond all that a state may have that was lost when
  /// the store was replaced by an older copy; the ones between are skipped.
  func nextRevision(_ context: ModelContext) throws -> Int {
    let counter = try Self.counter(context) ?? ServedCounter(name: "revision", value: 0)
    context.insert(counter)
    let newest = counter.value
    guard (0...Self.maximumRevision).contains(newest) else {
      throw LandmarksError(
        .storeFailure, "the server's store",
        reason: "its last revision is \(newest), which can't be: the file was changed or is"
          + " damaged. Restore it from a copy.")
    }
    guard newest < firstRevision else {
      counter.value += 1
      return counter.value
    }
    let last = max(newest, Self.unnamed)
    firstRevision = max(newest + 1, Int(beginning(Int64(newest))))
    counter.value = firstRevision
    guard firstRevision - 1 > last else { return firstRevision }
    let known = try Self.skips(context)
    for skip in known.dropFirst(SyncPage.maximumSkipped - 1) { context.delete(skip) }
    context.insert(ServedSkip(first: last + 1, last: firstRevision - 1))
    return firstRevision
  }

  private static func counter(_ context: ModelContext) throws -> ServedCounter? {
    try context.fetch(FetchDescriptor<ServedCounter>()).first
  }

  /// Returns the skipped revisions, the newest first.
  private static func skips(_ context: ModelContext) throws -> [ServedSkip] {
    try context.fetch(
      FetchDescriptor<ServedSkip>(sortBy: [SortDescriptor(\.first, order: .reverse)]))
  }
}
