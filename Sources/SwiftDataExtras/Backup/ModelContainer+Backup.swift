import Foundation
import SwiftDataCore
import SwiftDataSQLite

extension ModelContainer {
  /// Copies all stores of the container into a new folder, while they are used. An addition to Apple's interface.
  ///
  /// Each store is copied with everything that belongs to it: large values, history, identifiers, and what toolkits
  /// keep beside the file. It has the name of its file there, a store in memory that of its configuration with the
  /// ending `.store`. Encrypted values stay encrypted. The copy is that of one moment: what is saved later isn't in it.
  /// Only saves to a store in memory wait for it. A save over several stores is in the copies of all or of none.
  /// Changes that weren't saved aren't copied.
  ///
  /// The copies are stores like others. To restore one, put its file and the folder `.<name>_SUPPORT` in the place of
  /// those of the store, while no program has it open, and remove the files with the endings `-wal` and `-shm` there.
  ///
  /// The folder is readable by its owner only. It appears under its name when it is complete and on the disk. A program
  /// that ends before leaves a hidden folder `.backup-….unfinished` beside it, which can be removed.
  ///
  /// - Parameter folder: The folder, which must not exist; the folder above it has to.
  /// - Throws: ``StoreError`` with the code `alreadyExists` for a folder that exists, `missingFile` when a store lacks
  ///   a file with a large value, and others for a store or a folder that can't be read or written;
  ///   ``SwiftDataError/unsupportedBackup`` when a store isn't one of files or in memory;
  ///   ``SwiftDataError/duplicateConfiguration`` when two files have the same name;
  ///   ``SwiftDataError/reentrantOperation`` in code that a store calls itself, when it or another one is in memory;
  ///   ``MigrationError`` in a stage of a migration; `CancellationError` when the task is cancelled. Nothing is left in
  ///   the folder's place then.
  public func backup(to folder: URL) throws {
    let stores = try core.stores.map { store in
      guard let store = store as? DefaultStore else {
        throw SwiftDataError.unsupportedBackup.explained(
          "The store \"\(store.configurationName)\" isn't in a file of SQLite. Back it up by the means of its"
            + " database, such as pg_dump for PostgreSQL.")
      }
      return store
    }
    try BackupFolder(folder, of: stores).write()
  }
}

extension SwiftDataError {
  /// A container with a store that isn't in a file or in memory, such as one on PostgreSQL, can't copy it. An addition
  /// to Apple's interface.
  public static let unsupportedBackup = SwiftDataError.code(
    "unsupportedBackup", "A store of the container can't be backed up.")
}
