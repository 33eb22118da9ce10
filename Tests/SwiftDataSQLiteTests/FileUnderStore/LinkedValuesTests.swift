import Foundation
import SwiftData
import SwiftDataExtras
import Testing

@testable import SwiftDataSQLite

/// Users move the large values of a store to another disk and replace the folder by a symbolic
/// link.
@Suite("Large values behind a symbolic link")
struct LinkedValuesTests {
  /// The folder that is a link.
  enum Linked: String, CaseIterable, Sendable {
    case support, external

    func folder(_ place: ParcelPlace) -> URL {
      let support = place.folder.appending(
        path: ".parcels.store_SUPPORT", directoryHint: .notDirectory)
      return self == .support
        ? support : support.appending(path: "external", directoryHint: .notDirectory)
    }

    /// Moves the folder to another location and creates a link in its place.
    @discardableResult
    func move(_ place: ParcelPlace, to name: String = "elsewhere") throws -> URL {
      let target = place.outside.folder.appending(path: name, directoryHint: .notDirectory)
      let folder = folder(place)
      guard rename(folder.path, target.path) == 0, symlink(target.path, folder.path) == 0 else {
        throw CocoaError(.fileWriteUnknown)
      }
      return target
    }
  }

  private func place(_ count: Int = 3) throws -> ParcelPlace {
    let place = try ParcelPlace()
    let context = ModelContext(try place.container())
    for number in 0..<count { context.insert(Parcel("\(number)", content: Parcel.large(number))) }
    try context.save()
    return place
  }

  private func contents(_ container: ModelContainer) throws -> [Data] {
    try ModelContext(container).fetch(
      FetchDescriptor<Parcel>(sortBy: [SortDescriptor(\.name)])
    ).map(\.content)
  }

  @Test("are read, written and removed as without one", arguments: Linked.allCases)
  func everything(_ linked: Linked) throws {
    let place = try place()
    try linked.move(place)
    let container = try place.container()
    #expect(try contents(container) == (0..<3).map(Parcel.large))
    let context = ModelContext(container)
    let parcels = try context.fetch(FetchDescriptor<Parcel>(sortBy: [SortDescriptor(\.name)]))
    parcels[0].content = Parcel.large(10)
    context.delete(parcels[1])
    context.insert(Parcel("3", content: Parcel.large(11)))
    try context.save()
    context.insert(Parcel("4"))
    try context.save()
    #expect(try place.values().count == 3)
    #expect(
      try contents(container) == [Parcel.large(10), Parcel.large(2), Parcel.large(11), Data()])
    let readOnly = try place.container(allowsSave: false)
    #expect(try contents(readOnly).count == 4)
    // Still a link.
    #expect(
      try FileManager.default.attributesOfItem(atPath: linked.folder(place).path)[.type]
        as? FileAttributeType == .typeSymbolicLink)
  }

  @Test("an unreferenced file is swept there, only with exclusive use", arguments: Linked.allCases)
  func sweep(_ linked: Linked) throws {
    let place = try place()
    let target = try linked.move(place)
    let values = linked == .support ? target.appending(path: "external") : target
    let orphan = values.appending(path: String(repeating: "0f", count: 32))
    try Data([1]).write(to: orphan)
    let first = try place.container()
    #expect(!FileManager.default.fileExists(atPath: orphan.path))
    try Data([1]).write(to: orphan)
    let second = try place.container()
    #expect(FileManager.default.fileExists(atPath: orphan.path))
    #expect(try contents(second).count == 3)
    withExtendedLifetime(first) {}
  }

  @Test("a dangling or circular link is an error that names the folder")
  func nowhere() throws {
    for linked in Linked.allCases {
      for target in ["gone", "circle"] {
        let place = try place()
        let moved = try linked.move(place)
        let link = linked.folder(place)
        #expect(unlink(link.path) == 0)
        let destination =
          target == "circle"
          ? link.path : place.outside.folder.appending(path: "not there/values").path
        #expect(symlink(destination, link.path) == 0)
        let error = #expect(throws: StoreError.self) { _ = try place.container() }
        #expect(error?.explanation.contains(".parcels.store_SUPPORT") == true)
        // No data is lost: with the original link, all values are available.
        #expect(unlink(link.path) == 0)
        #expect(symlink(moved.path, link.path) == 0)
        #expect(try contents(place.container()) == (0..<3).map(Parcel.large))
      }
    }
  }

  @Test(
    "a link that is turned while the store is open loses nothing that was saved",
    arguments: Linked.allCases)
  func turned(_ linked: Linked) throws {
    let place = try place()
    let first = try linked.move(place)
    let container = try place.container()
    let context = ModelContext(container)
    #expect(try contents(container).count == 3)
    let link = linked.folder(place)
    let second = place.outside.folder.appending(path: "second", directoryHint: .notDirectory)
    try FileManager.default.copyItem(at: first, to: second)
    #expect(unlink(link.path) == 0)
    #expect(symlink(second.path, link.path) == 0)
    context.insert(Parcel("new", content: Parcel.large(20)))
    try context.save()
    #expect(try contents(place.container()).contains(Parcel.large(20)))
    #expect(try contents(container).count == 4)
    // Without any folder, a save with a large value is refused, and can be repeated.
    #expect(unlink(link.path) == 0)
    context.insert(Parcel("newer", content: Parcel.large(21)))
    #expect(throws: StoreError.self) { try context.save() }
    #expect(symlink(second.path, link.path) == 0)
    try context.save()
    #expect(try contents(place.container()).contains(Parcel.large(21)))
  }

  @Test("the folder of another store is refused, and keeps its values", arguments: Linked.allCases)
  func otherStore(_ linked: Linked) throws {
    for isFirstLinked in [false, true] {
      let (first, second) = (try place(), try place())
      if isFirstLinked { try linked.move(first) }
      // Move its own values first, so that the link is the only error.
      try linked.move(second)
      #expect(unlink(linked.folder(second).path) == 0)
      #expect(symlink(linked.folder(first).path, linked.folder(second).path) == 0)
      if isFirstLinked { _ = try first.container() }
      let error = #expect(throws: StoreError.self) { _ = try second.container() }
      #expect(error?.code == .cannotOpen)
      #expect(error?.explanation.contains(first.file.path) == true)
      #expect(try contents(first.container()) == (0..<3).map(Parcel.large))
      // Read-only access does no harm.
      #expect(try contents(second.container(allowsSave: false)).count == 3)
      // A store that was moved away leaves its folder to others.
      #expect(rename(first.file.path, first.file.path + "-moved") == 0)
      #expect(try contents(second.container()) == (0..<3).map(Parcel.large))
    }
  }

  @Test("a pipe in place of the owner's note is refused, and not waited for")
  func ownedByPipe() throws {
    let place = try place()
    let note = try Linked.external.move(place).appending(path: ExternalFiles.ownerName).path
    #expect(mkfifo(note, 0o600) == 0)
    let error = #expect(throws: StoreError.self) { _ = try place.container() }
    #expect(error?.code == .cannotOpen)
    #expect(error?.explanation.contains(note) == true)
    #expect(unlink(note) == 0)
    #expect(try contents(place.container()) == (0..<3).map(Parcel.large))
  }

  @Test("a pipe in place of the readers' lock is a lock, and not waited for")
  func lockedByPipe() throws {
    let place = try place()
    let lock = Linked.support.folder(place).appending(path: "readers").path
    #expect(unlink(lock) == 0 && mkfifo(lock, 0o600) == 0)
    #expect(try contents(place.container(allowsSave: false)) == (0..<3).map(Parcel.large))
    #expect(try contents(place.container()) == (0..<3).map(Parcel.large))
  }

  @Test("a copy of a store that has a copy of the link is refused", arguments: Linked.allCases)
  func copiedLink(_ linked: Linked) throws {
    let place = try place()
    try linked.move(place)
    _ = try place.container()
    let copy = place.outside.folder.appending(path: "copy", directoryHint: .isDirectory)
    try FileManager.default.copyItem(at: place.folder, to: copy)
    let store = copy.appending(path: "parcels.store")
    let error = #expect(throws: StoreError.self) { _ = try ParcelPlace.container(store) }
    #expect(error?.code == .cannotOpen)
    // A store that is moved as a whole is the same store.
    #expect(rename(place.folder.path, place.folder.path + "-moved") == 0)
    #expect(try contents(ParcelPlace.container(store)) == (0..<3).map(Parcel.large))
  }

  @Test("before files are removed, readers are determined at the present folder")
  func readersBehindTurnedLink() throws {
    let place = try place()
    let first = try Linked.support.move(place)
    let writer = try place.container()
    let context = ModelContext(writer)
    #expect(try contents(writer).count == 3)
    // The writer knows the first folder, the reader the second one.
    let link = Linked.support.folder(place)
    let second = place.outside.folder.appending(path: "second", directoryHint: .notDirectory)
    try FileManager.default.copyItem(at: first, to: second)
    #expect(unlink(link.path) == 0)
    #expect(symlink(second.path, link.path) == 0)
    let reader = try place.container()
    let store = try #require(reader.core.stores.first as? DefaultStore)
    let query = try store.prepare(StoreRequest<Parcel>(plan: try #require(store.plans.first)))
    var seen = 0
    try query.statement.forEachRow { _, _ in
      if seen == 0 {
        for parcel in try context.fetch(FetchDescriptor<Parcel>()) { context.delete(parcel) }
        try context.save()
        #expect(try place.values().count == 3, "a reader of the same folder needs them")
      }
      seen += 1
    }
    #expect(seen == 3)
  }

  @Test("the copy that a migration makes has them", arguments: Linked.allCases)
  func migrationCopy(_ linked: Linked) throws {
    let place = try place()
    try linked.move(place)
    let copy = StoreBackup(ModelConfiguration(url: place.file))
    try copy.make()
    try copy.keep()
    let container = try ParcelPlace.container(copy.url)
    #expect(try contents(container) == (0..<3).map(Parcel.large))
    // The copy has its own values: values deleted from the store stay in it.
    try place.container().batchDelete(Parcel.self)
    let context = ModelContext(try place.container())
    context.insert(Parcel("next"))
    try context.save()
    #expect(try contents(container) == (0..<3).map(Parcel.large))
  }
}
