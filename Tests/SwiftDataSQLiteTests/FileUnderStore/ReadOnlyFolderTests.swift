import Foundation
import SwiftData
import Testing

@testable import SwiftDataSQLite

/// A folder that is temporarily read-only: by a mount if the user is the superuser, who may write to any file,
/// otherwise by permissions.
private final class SealedFolder {
  private let path: String
  private let isMounted: Bool

  /// Returns nil when the system doesn't let the superuser mount anything.
  init?(_ folder: URL) {
    path = folder.path
    isMounted = geteuid() == 0
    guard isMounted else {
      guard chmod(path, 0o555) == 0 else { return nil }
      return
    }
    guard Self.run("mount", "--bind", path, path) else { return nil }
    guard Self.run("mount", "-o", "remount,ro,bind", path) else {
      _ = Self.run("umount", path)
      return nil
    }
  }

  deinit {
    if isMounted { _ = Self.run("umount", "-l", path) } else { chmod(path, 0o755) }
  }

  private static func run(_ arguments: String...) -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}

@Suite("A store in a read-only folder")
struct ReadOnlyFolderTests {
  private func sealed(_ place: ParcelPlace) -> SealedFolder? {
    let folder = SealedFolder(place.folder)
    if folder == nil { print("Skipped: the system lets nobody mount a folder read-only.") }
    return folder
  }

  @Test("is read without a log, large values too, by several fetches at once")
  func withoutLog() async throws {
    let place = try ParcelPlace()
    do { try place.fill(place.container()) }
    #expect(!FileManager.default.fileExists(atPath: place.file.path + "-wal"))
    guard let folder = sealed(place) else { return }
    let container = try place.container(allowsSave: false)
    #expect(try container.parcels(named: "large").map(\.content) == [Parcel.large(1)])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Parcel>()) == 441)
    let context = ModelContext(container)
    context.insert(Parcel("new"))
    #expect(throws: StoreError.self) { try context.save() }
    #expect(throws: StoreError.self) { _ = try place.container() }
    withExtendedLifetime(folder) {}
  }

  @Test("can't be read with a log that wasn't written back; the error has the remedy")
  func withLog() throws {
    let place = try ParcelPlace()
    let source = try ParcelPlace()
    let open = try source.container()
    try source.fill(open)
    for ending in ["", "-wal"] {
      try FileManager.default.copyItem(
        atPath: source.file.path + ending, toPath: place.file.path + ending)
    }
    guard let folder = sealed(place) else { return }
    do {
      let container = try place.container(allowsSave: false)
      // Systems that keep the index of the log elsewhere can read the store; then all rows must be found.
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Parcel>()) == 441)
    } catch let error as StoreError {
      #expect(error.code == .cannotOpen && error.explanation.contains("-wal"))
    }
    withExtendedLifetime((folder, open)) {}
  }

  @Test("is read as it is now when it could be written in between")
  func changed() throws {
    let place = try ParcelPlace()
    do { try place.fill(place.container()) }
    var folder = sealed(place)
    guard folder != nil else { return }
    let container = try place.container(allowsSave: false)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Parcel>()) == 441)
    folder = nil
    do {
      let context = ModelContext(try place.container())
      context.insert(Parcel("new"))
      try context.save()
      #expect(try container.parcels(named: "new").count == 1, "with the log")
    }
    #expect(try container.parcels(named: "new").count == 1, "without it")
  }
}
