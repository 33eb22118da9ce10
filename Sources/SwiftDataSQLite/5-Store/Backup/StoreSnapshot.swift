import ContentFiles
import Foundation
import SwiftDataCore

/// The committed state of a store at one moment, which is copied while others go on writing.
struct StoreSnapshot {
  let store: DefaultStore
  /// A reading connection, which has the snapshot's transaction open.
  let connection: Connection

  /// Runs `body` with snapshots of all stores. A save over several of them is in all the snapshots or in none.
  ///
  /// Large values in files stay as long as `body` runs: a row that it sees may name them, whatever is committed.
  ///
  /// - Parameter stores: The stores, in the order of saves.
  static func withSnapshots(
    of stores: [DefaultStore], _ body: ([StoreSnapshot]) throws -> Void
  ) throws {
    func hold(_ rest: ArraySlice<DefaultStore>, _ held: [StoreSnapshot]) throws {
      guard let first = rest.first else {
        try beginTogether(held)
        defer { end(held) }
        return try body(held)
      }
      try first.withCopyingReader { connection in
        try hold(rest.dropFirst(), held + [StoreSnapshot(store: first, connection: connection)])
      }
    }
    try hold(stores[...], [])
  }

  /// Begins the snapshots while no save over a store in memory and another one runs: the former has no marks, which
  /// would show that only one of them has committed. No other container reaches a store in memory.
  private static func beginTogether(_ snapshots: [StoreSnapshot]) throws {
    func hold(_ rest: ArraySlice<StoreSnapshot>) throws {
      guard let first = rest.first else { return try begin(snapshots) }
      try first.store.withoutSaves { try hold(rest.dropFirst()) }
    }
    guard snapshots.count > 1, snapshots.contains(where: \.store.location.isInMemory) else {
      return try begin(snapshots)
    }
    try hold(snapshots[...])
  }

  /// The number of times that snapshots are begun anew, and the pause before that in microseconds. Between the commits
  /// of a save over several stores there is the time of a commit.
  private static let (maximumTries, pause) = (100, UInt32(5_000))

  /// Begins the snapshots between two saves, not between the commits of one. Those that were left incomplete for good
  /// are copied as they are: a container of the copies names them.
  private static func begin(_ snapshots: [StoreSnapshot]) throws {
    for number in 1... {
      do {
        for snapshot in snapshots { try snapshot.connection.beginSnapshot() }
        if try number == maximumTries || !isTorn(snapshots) { return }
      } catch {
        end(snapshots)
        throw error
      }
      end(snapshots)
      BackupProbe.reach("torn")
      try Task.checkCancellation()
      usleep(pause)
    }
  }

  private static func isTorn(_ snapshots: [StoreSnapshot]) throws -> Bool {
    let marked = snapshots.filter { $0.store.jointSaveIdentifier != nil }
    guard marked.count > 1 else { return false }
    let marks = try marked.map {
      (store: $0.store, marks: try JointSaveMarks.all(on: $0.connection))
    }
    return try !TornSave.all(marks).isEmpty
  }

  private static func end(_ snapshots: [StoreSnapshot]) {
    for snapshot in snapshots { snapshot.connection.rollback() }
  }

  /// Copies the database and the files that belong to it, durably.
  ///
  /// - Parameter file: The copy, in a folder of its own.
  /// - Throws: ``StoreError``, also when the store lacks a file that a row names, and `CancellationError`.
  func copy(to file: URL) throws {
    try connection.copy(to: file.path) { try Task.checkCancellation() }
    BackupProbe.reach("database")
    guard case .file(let url) = store.location else {
      // Saves to a store in memory wait for its readers.
      return connection.rollback()
    }
    do {
      try ExternalFiles.copyFiles(of: url, to: file, by: Self.copyFile)
      try SupportFolderCopy(
        from: StoreLocation.supportFolder(of: url), to: StoreLocation.supportFolder(of: file)
      ).run(by: Self.copyFile)
      let missing = try ExternalFiles.missingFiles(inCopy: file, of: connection)
      if let first = missing.first { throw incomplete(missing.count, first, besides: url) }
    } catch let error where !(error is StoreError || error is CancellationError) {
      throw StoreError.copying(error, path: url.path)
    }
    BackupProbe.reach("files")
  }

  private static func copyFile(_ source: String, _ target: String) throws -> Bool {
    try FileCopy.copy(source, to: target) { try Task.checkCancellation() }
  }

  private func incomplete(_ count: Int, _ first: String, besides url: URL) -> StoreError {
    StoreError(
      .missingFile, path: url.path,
      explanation:
        "it can't be backed up as a whole: \(count) files with values of its rows aren't in"
        + " \(ExternalFiles.folder(besides: url).path), such as \(first); restore them from a copy, or"
        + " give these properties other values")
  }
}

extension DefaultStore {
  /// Runs `body` with a reading connection that can begin a transaction, and keeps all files with large values
  /// meanwhile, also those of entities that the container doesn't have.
  fileprivate func withCopyingReader(_ body: (Connection) throws -> Void) throws {
    guard case .file(let url) = location else {
      // Code that a save calls would read in the save's transaction.
      try refuseReentrance()
      return try withReader(body)
    }
    try ExternalFiles(besides: url, isReadOnly: true).reading { try withReader(body) }
  }

  /// Runs `body` while no save of the container writes to the store.
  fileprivate func withoutSaves(_ body: () throws -> Void) throws {
    // That of stores in memory was checked before they were read.
    if !location.isInMemory { try refuseReentrance() }
    try connections.write { _ in try body() }
  }
}

extension StoreError {
  /// The error of a copy that can't be written.
  static func copying(_ error: any Error, path: String) -> StoreError {
    StoreError(
      isFull((error as? POSIXError)?.code.rawValue) ? .diskFull : .inputOutput, path: path,
      explanation: "its copy can't be written: \(error.localizedDescription)")
  }
}

/// Hooks that tests install in the backups of their own task. A structure for the reason that ``MigrationProbe`` has.
package struct BackupProbe: Sendable {
  @TaskLocal private static var current = BackupProbe(reached: nil)

  /// Called with a name at certain points.
  private let reached: (@Sendable (String) -> Void)?

  /// Runs the operation with this hook.
  package static func install<Result>(
    reached: @escaping @Sendable (String) -> Void, _ operation: () throws -> Result
  ) rethrows -> Result {
    try $current.withValue(BackupProbe(reached: reached)) { try operation() }
  }

  static func reach(_ moment: String) { current.reached?(moment) }
}
