import Foundation
import SwiftData

/// How the applications open the files of their stores.
package enum StoreOpening {
  /// Returns the configuration of a store in a file, whose folder is made if it is missing.
  /// - Parameters:
  ///   - file: The store's file.
  ///   - models: The models of the store.
  ///   - isReadOnly: Whether the store is only read: then nothing is made, and it may be one that this user can't
  ///     write.
  /// - Throws: ``NewerStore``, the error of a folder that can't be made, and those of a file that can't be used.
  package static func configuration(
    of file: URL, _ models: Schema, isReadOnly: Bool = false
  ) throws -> ModelConfiguration {
    if !isReadOnly {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    }
    let configuration = ModelConfiguration(url: file, allowsSave: !isReadOnly || isWritable(file))
    try refuseNewer(models, configuration)
    return configuration
  }

  /// Whether a store's file and its folder, with the files beside it, can be written.
  private static func isWritable(_ file: URL) -> Bool {
    [file, file.deletingLastPathComponent()].allSatisfy { access($0.path, W_OK) == 0 }
  }

  /// Refuses a store that has properties which this program doesn't know: opening it would remove them. No version of
  /// an application removes one.
  private static func refuseNewer(_ models: Schema, _ configuration: ModelConfiguration) throws {
    let preview: MigrationPreview
    do {
      preview = try ModelContainer.migrationPreview(for: models, configuration: configuration)
    } catch SwiftDataError.backwardMigration {
      throw NewerStore(unknown: nil)
    }
    let unknown = preview.stages.flatMap(\.changes).filter { $0.kind == .removedProperty }
    guard let first = unknown.first else { return }
    throw NewerStore(
      unknown: first.property.isEmpty ? first.entity : "\(first.entity).\(first.property)")
  }
}

/// A newer version of the application has written a store.
package struct NewerStore: Error, CustomStringConvertible {
  /// A property that this version doesn't know; nil when none is known by name.
  package var unknown: String?

  /// The reason for which the store isn't used, and the remedy.
  package var description: String {
    "a newer version of this program made it, with values that this one doesn't know"
      + (unknown.map { " (\($0))" } ?? "") + "; use that version, or another --store"
  }
}
