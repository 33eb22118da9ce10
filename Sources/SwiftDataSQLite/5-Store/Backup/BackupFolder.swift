import ContentFiles
import Foundation
import SwiftDataCore

/// A new folder with copies of stores. It has its name only when it is complete and on the disk; until then, it is a
/// hidden folder beside that place.
package struct BackupFolder {
  private let place: String
  private let parent: String
  private let unfinished: URL
  private let copies: [(store: DefaultStore, name: String)]

  /// - Parameters:
  ///   - url: The folder, which must not exist.
  ///   - stores: The stores.
  /// - Throws: ``StoreError``, ``MigrationError`` or ``SwiftDataError`` for what can't be backed up, or not there.
  package init(_ url: URL, of stores: [DefaultStore]) throws {
    guard url.isFileURL || url.scheme == nil, !url.path.isEmpty else {
      throw StoreError(
        .cannotOpen, path: url.path,
        explanation: "the URL of a backup has to name a folder; use one that begins with file:")
    }
    place = URL(filePath: url.absoluteURL.path, directoryHint: .notDirectory).absoluteURL.path
    let folder = URL(filePath: place, directoryHint: .notDirectory).deletingLastPathComponent()
    parent = folder.path
    unfinished = folder.appending(
      path: ".backup-\(UUID().uuidString).unfinished", directoryHint: .isDirectory)
    copies = stores.map { ($0, $0.copyName) }
    try checkNames()
    for store in stores { try check(store) }
    var status = stat()
    if lstat(place, &status) == 0 { throw occupied }
  }

  /// Writes the folder.
  ///
  /// - Throws: ``StoreError``, and `CancellationError` when the task is cancelled. Nothing is left then.
  package func write() throws {
    try Task.checkCancellation()
    // In the order of saves: each waits for the other in stores in memory.
    let copies = copies.sorted { $0.store.identifier < $1.store.identifier }
    guard mkdir(unfinished.path, 0o700) == 0 else { throw failure("it can't be made") }
    do {
      try StoreSnapshot.withSnapshots(of: copies.map(\.store)) { snapshots in
        // Stores in memory first: saves to them wait.
        let all = zip(snapshots, copies).map { ($0, $1.name) }
        for isInMemory in [true, false] {
          for (snapshot, name) in all where snapshot.store.location.isInMemory == isInMemory {
            try snapshot.copy(to: unfinished.appending(path: name))
          }
        }
      }
      try sync(unfinished.path)
      try Task.checkCancellation()
      BackupProbe.reach("complete")
      try appear()
    } catch {
      remove()
      throw error
    }
  }

  private func appear() throws {
    guard rename(unfinished.path, place) == 0 else {
      throw [EEXIST, ENOTEMPTY, ENOTDIR].contains(errno) ? occupied : failure("it can't be made")
    }
    do { try sync(parent) } catch {
      // It may have no name after a loss of power.
      _ = rename(place, unfinished.path)
      throw error
    }
  }

  private func remove() {
    do { try FileManager.default.removeItem(at: unfinished) } catch {
      SwiftDataLog.report(
        .error, "SwiftData", "the unfinished backup \(unfinished.path) couldn't be removed", error)
    }
  }

  private func sync(_ folder: String) throws {
    do { try DurableFolder.sync(folder) } catch { throw StoreError.copying(error, path: place) }
  }

  // MARK: - Checks

  private func checkNames() throws {
    var names: [String: DefaultStore] = [:]
    for (store, name) in copies {
      guard let other = names.updateValue(store, forKey: name) else { continue }
      throw SwiftDataError.duplicateConfiguration.explained(
        "The stores \"\(other.name)\" and \"\(store.name)\" can't have one folder for their backups: both"
          + " files have the name \(name). Back each up by a container of its own.")
    }
  }

  private func check(_ store: DefaultStore) throws {
    guard store.stage == nil else {
      throw MigrationError(
        .unavailableInStage, path: store.location.path,
        explanation: "A backup has only what is committed, and a migration isn't, in its stages.")
    }
    if let property = store.attributes.plainSecret {
      throw StoreError(
        .missingKey, path: store.location.path,
        explanation:
          "\(property) is encrypted in files, and the configuration of the store in memory has no"
          + " encryptionKey; set it, so that it can be backed up")
    }
    guard case .file(let url) = store.location else { return }
    let own = StoreLocation.resolved(StoreLocation.supportFolder(of: url).path)
    let folder = StoreLocation.resolved(parent)
    guard folder != own, !folder.hasPrefix(own + "/") else {
      throw StoreError(
        .cannotOpen, path: place,
        explanation: "it lies in the folder of a store's other files, \(own); choose another place")
    }
  }

  private var occupied: StoreError {
    StoreError(
      .alreadyExists, path: place,
      explanation: "there is something of this name, and a backup replaces nothing; choose another")
  }

  private func failure(_ what: String) -> StoreError {
    .file(errno, otherwise: .cannotOpen, path: place, what)
  }
}

extension DefaultStore {
  /// The name of the store's file in a backup.
  fileprivate var copyName: String {
    guard case .file(let url) = location else { return name + ".store" }
    return StoreLocation.parts(url.path).name
  }
}
