import Foundation
import SwiftData
import SwiftDataExtras

/// Reports the changes to the events of a store, whichever program makes them: this one, another
/// process such as a `quakes refresh` run by cron, or a tool that doesn't use the library.
///
/// Changes are read from the store's history. So the changes of a refresh are reported once it is
/// committed, none is lost while the reader is busy, and no queue grows. Commits of tools that
/// write no history, and commits whose history is already deleted, are reported as
/// ``EventChanges/unknown``.
///
/// The differences of a `ResultsObserver` aren't enough: they identify deleted rows, whose `eventID` only the history
/// keeps, and combine commits, but `quakes watch` writes a line for each change of an event. They also need the row ids
/// of the whole store.
public struct StoreFollower: Sendable {
  /// The handling of transactions with more than ``EventChanges/limit`` changes.
  public enum LargeTransactions: Sendable {
    /// The transaction is reported as ``EventChanges/unknown``, without reading its events.
    case unknown
    /// The transaction is reported in several parts.
    case inPieces
  }

  /// A handler that gets the changes in order.
  public typealias Report = @Sendable (EventChanges) throws -> Void

  private let store: QuakeStore
  private let large: LargeTransactions
  private let changes: RemoteChanges
  /// Whether the store had no events at the position.
  private let isEmpty: Bool

  /// Records the position in the history from which changes are reported.
  /// - Parameters:
  ///   - store: The store.
  ///   - large: The handling of transactions with many changes.
  /// - Throws: ``QuakesError`` when the store cannot be read.
  public init(_ store: QuakeStore, large: LargeTransactions = .unknown) throws {
    self.store = store
    self.large = large
    let isEmpty = try store.count() == 0
    var changes = try store.changesFromNow()
    // The first events may have come between the two, and belong to neither side for sure.
    let hasEvents = try isEmpty && store.count() > 0
    if hasEvents { changes = try store.changesFromNow() }
    self.changes = changes
    self.isEmpty = isEmpty && !hasEvents
  }

  /// Follows the store until the task is cancelled.
  /// - Parameters:
  ///   - onFirstLoad: The handler of the transaction that brings the first events of a store that had none at the
  ///     position, such as a first refresh; by default `report`.
  ///   - report: The handler of the changes; two tasks call it, possibly at the same time.
  /// - Throws: ``QuakesError`` when the store can no longer be read, and the errors of `report`.
  public func run(
    onFirstLoad: Report? = nil, _ report: @escaping Report
  ) async throws {
    // Commits that aren't in the history have to be observed: they can't be read later.
    let (commits, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContainer.remoteChange, object: store.container, queue: nil
    ) { note in
      let key = ModelContainer.RemoteChangeKey.historyToken.rawValue
      if note.userInfo?[key] == nil { continuation.yield() }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await followHistory(onFirstLoad ?? report, report) }
      group.addTask { for await _ in commits { try report(.unknown) } }
      // Neither task ends before the other, except by an error or when the parent task is
      // cancelled.
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  // MARK: History

  private func followHistory(_ onFirstLoad: Report, _ report: Report) async throws {
    var changes = changes
    var isEmpty = isEmpty
    while !Task.isCancelled {
      do {
        for try await transaction in changes {
          try pass(transaction, isEmpty ? onFirstLoad : report)
          if transaction.changes.contains(where: \.isInsertion) { isEmpty = false }
        }
        return
      } catch SwiftDataError.historyTokenExpired {
        // Update the position first: the report makes other code read the store again.
        changes = try store.changesFromNow()
        isEmpty = false
        try report(.unknown)
      } catch let error as StoreError {
        throw store.unreadable(error)
      }
    }
  }

  private func pass(_ transaction: DefaultHistoryTransaction, _ report: Report) throws {
    let changes = transaction.changes
    guard changes.count > EventChanges.limit else { return try report(resolve(changes[...])) }
    guard case .inPieces = large else { return try report(.unknown) }
    for start in stride(from: 0, to: changes.count, by: EventChanges.limit) {
      let end = min(start + EventChanges.limit, changes.count)
      try report(resolve(changes[start..<end]))
    }
  }

  /// Reads the changed events. If an event has been deleted since, a later transaction reports it.
  private func resolve(_ changes: ArraySlice<HistoryChange>) throws -> EventChanges {
    var inserted: [PersistentIdentifier] = []
    var updated: [PersistentIdentifier] = []
    var deleted: [String] = []
    for change in changes {
      switch change {
      case .insert(let insert): inserted.append(insert.changedPersistentIdentifier)
      case .update(let update): updated.append(update.changedPersistentIdentifier)
      case .delete(let delete):
        let tombstone = (delete as? DefaultHistoryDelete<Quake>)?.tombstone
        // Written by a program whose `Quake` doesn't preserve the value.
        guard let id = tombstone?[\.eventID] as? String else { return .unknown }
        deleted.append(id)
      }
    }
    let events = try store.events(inserted + updated)
    return EventChanges(
      inserted: inserted.compactMap { events[$0] }, updated: updated.compactMap { events[$0] },
      deleted: deleted)
  }
}

extension HistoryChange {
  fileprivate var isInsertion: Bool {
    if case .insert = self { return true }
    return false
  }
}

extension QuakeStore {
  fileprivate func changesFromNow() throws -> RemoteChanges {
    do {
      return container.remoteChanges(
        after: try container.currentHistoryToken(), models: [Quake.self])
    } catch {
      throw unreadable(error)
    }
  }

  /// Returns the events of rows, without those that have been deleted.
  fileprivate func events(
    _ identifiers: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier: Event] {
    guard !identifiers.isEmpty else { return [:] }
    return try reading { context in
      let descriptor = FetchDescriptor<Quake>(
        predicate: #Predicate { identifiers.contains($0.persistentModelID) })
      var events: [PersistentIdentifier: Event] = [:]
      for event in try context.snapshots(descriptor) {
        if let identifier = event.persistentModelID { events[identifier] = event }
      }
      return events
    }
  }
}
