import Foundation
import SwiftData

@testable import SwiftDataSQLite

/// A model with a value that is stored in a file of its own.
@Model
final class Parcel {
  @Attribute(.unique) var name: String
  var note: String
  @Attribute(.externalStorage) var content: Data

  init(_ name: String, note: String = "", content: Data = Data()) {
    self.name = name
    self.note = note
    self.content = content
  }

  /// Returns more bytes than are stored in a row, different for each seed.
  static func large(_ seed: Int) -> Data {
    Data((0..<120_000).map { UInt8(truncatingIfNeeded: $0 ^ seed &* 31) })
      + Data("\(seed)".utf8)
  }
}

@ModelActor
actor ParcelDesk {
  func insert(_ name: String) { modelContext.insert(Parcel(name)) }
  func save() throws { try modelContext.save() }
  var hasChanges: Bool { modelContext.hasChanges }
}

/// A folder that contains a store in a subfolder, so that the subfolder can be moved and removed.
final class ParcelPlace {
  let outside: TemporaryStore
  let folder: URL
  let file: URL
  /// The path that containers open: the file, or a link to it.
  let opened: URL

  /// - Parameter isLinked: Whether containers are opened through a symbolic link in another folder.
  init(isLinked: Bool = false) throws {
    (outside, folder, file, opened) = Self.parts(of: try TemporaryStore(), isLinked: isLinked)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    if isLinked {
      try FileManager.default.createSymbolicLink(at: opened, withDestinationURL: file)
    }
  }

  /// Creates the place that another process has set up.
  init(of outside: URL, isLinked: Bool) {
    (self.outside, folder, file, opened) = Self.parts(
      of: TemporaryStore(of: outside), isLinked: isLinked)
  }

  private static func parts(
    of outside: TemporaryStore, isLinked: Bool
  ) -> (TemporaryStore, URL, URL, URL) {
    let folder = outside.folder.appending(path: "place", directoryHint: .isDirectory)
    let file = folder.appending(path: "parcels.store")
    return (outside, folder, file, isLinked ? outside.folder.appending(path: "link.store") : file)
  }

  func container(allowsSave: Bool = true) throws -> ModelContainer {
    try Self.container(opened, allowsSave: allowsSave)
  }

  static func container(_ file: URL, allowsSave: Bool = true) throws -> ModelContainer {
    try ModelContainer(
      for: Schema([Parcel.self]),
      configurations: ModelConfiguration(url: file, allowsSave: allowsSave))
  }

  /// Writes rows to the file itself and rows to the log.
  func fill(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    for number in 0..<400 {
      context.insert(Parcel("stored \(number)", note: String(repeating: "n", count: 200)))
    }
    context.insert(Parcel("large", content: Parcel.large(1)))
    try context.save()
    try SQLiteFile(file).run("PRAGMA wal_checkpoint(TRUNCATE)")
    for number in 0..<40 { context.insert(Parcel("logged \(number)")) }
    try context.save()
  }

  /// Returns the names of the files with large values.
  func values() throws -> [String] {
    try FileManager.default.contentsOfDirectory(
      atPath: folder.appending(path: ".parcels.store_SUPPORT/external").path
    ).filter { $0 != ExternalFiles.ownerName }.sorted()
  }
}

extension ModelContainer {
  func parcels(named name: String) throws -> [Parcel] {
    try ModelContext(self).fetch(
      FetchDescriptor<Parcel>(predicate: #Predicate { $0.name == name }))
  }
}
