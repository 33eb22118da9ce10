import Foundation
import SwiftData

/// Tells what happens to the events of a store, whoever does it: this program, another process such
/// as a `quakes refresh` of cron's, or a tool that knows nothing of the library.
///
/// Changes are read from the store's history, so those of a refresh are told once it is committed,
/// none is lost while the reader is busy, and nothing piles up. Commits of tools that keep no
/// history, and of those whose history is deleted already, are told as ``EventChanges/unknown``.
public struct StoreFollower: Sendable {
  /// What becomes of a transaction with more than ``EventChanges/limit`` changes.
  public enum LargeTransactions: Sendable {
    /// It is told as ``EventChanges/unknown``, without reading its events.
    case unknown
    /// It is told in pieces.
    case inPieces
  }

  /// Takes what happened, in order.
  public typealias Report = @Sendable (EventChanges) throws -> Void

  private let store: QuakeStore
  private let large: LargeTransactions
  private let changes: RemoteChanges

  /// Takes the place in the history from which on changes are told.
  /// - Parameters:
  ///   - store: the store.
  ///   - large: what becomes of transactions with many changes.
  /// - Throws: ``QuakesError`` when the store cannot be read.
  public init(_ store: QuakeStore, large: LargeTransactions = .unknown) throws {
    self.store = store
    self.large = large
    changes = try store.changesFromNow()
  }

  /// Follows the store until the task is cancelled.
  /// - Parameter report: takes what happened; called by two tasks, which may be at the same time.
  /// - Throws: ``QuakesError`` when the store cannot be read any more, and what `report` throws.
  public func run(_ report: @escaping Report) async throws {
    // Commits that aren't in the history have to be heard: they can't be read up on.
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
      group.addTask { try await followHistory(report) }
      group.addTask { for await _ in commits { try report(.unknown) } }
      // Neither ends before the other but by an error, or when the task is cancelled.
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  // MARK: The history

  private func followHistory(_ report: Report) async throws {
    var changes = changes
    while !Task.isCancelled {
      do {
        for try await transaction in changes { try pass(transaction, report) }
        return
      } catch SwiftDataError.historyTokenExpired {
        // First the new place, then the reading that the report makes others do.
        changes = try store.changesFromNow()
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

  /// Reads the events that changed. One that is gone by now is told of by a later transaction.
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
        // Written by a program whose `Quake` doesn't keep it.
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

extension QuakeStore {
  fileprivate func changesFromNow() throws -> RemoteChanges {
    do {
      return container.remoteChanges(after: try container.currentHistoryToken())
    } catch {
      throw unreadable(error)
    }
  }

  /// The events of rows; those that are gone are missing.
  fileprivate func events(
    _ identifiers: [PersistentIdentifier]
  ) throws -> [PersistentIdentifier: Event] {
    guard !identifiers.isEmpty else { return [:] }
    return try reading { context in
      let descriptor = FetchDescriptor<Quake>(
        predicate: #Predicate { identifiers.contains($0.persistentModelID) })
      let pairs = try context.fetch(descriptor).map { ($0.persistentModelID, Event($0)) }
      return Dictionary(pairs) { first, _ in first }
    }
  }
}
