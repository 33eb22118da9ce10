import Foundation
import SwiftData
import Testing

@testable import SwiftDataSQLite

@Suite("A store behind a symbolic link")
struct LinkedStoreTests {
  private let place: ParcelPlace

  init() throws {
    place = try ParcelPlace(isLinked: true)
    let context = ModelContext(try ParcelPlace.container(place.file))
    context.insert(Parcel("a", content: Parcel.large(1)))
    try context.save()
  }

  @Test("its large values are found by either name")
  func values() throws {
    let linked = try place.container()
    #expect(try linked.parcels(named: "a").map(\.content) == [Parcel.large(1)])
    let context = ModelContext(linked)
    context.insert(Parcel("b", content: Parcel.large(2)))
    try context.save()
    let direct = try ParcelPlace.container(place.file)
    #expect(try direct.parcels(named: "b").map(\.content) == [Parcel.large(2)])
    #expect(try place.values().count == 2)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: place.outside.folder.path).sorted()
        == ["link.store", "place"])
  }

  @Test("exclusive use is determined alike for both names")
  func sweep() throws {
    let orphan = String(repeating: "0f", count: 32)
    let folder = place.folder.appending(path: ".parcels.store_SUPPORT/external")
    try Data([1]).write(to: folder.appending(path: orphan))
    let linked = try place.container()
    #expect(try !place.values().contains(orphan))
    try Data([1]).write(to: folder.appending(path: orphan))
    _ = try ParcelPlace.container(place.file)
    #expect(try place.values().contains(orphan), "the store is open by its other name")
    withExtendedLifetime(linked) {}
  }

  @Test("behind a link to its folder too")
  func folder() throws {
    let link = place.outside.folder.appending(path: "link", directoryHint: .notDirectory)
    #expect(symlink(place.folder.path, link.path) == 0)
    let linked = try ParcelPlace.container(link.appending(path: "parcels.store"))
    #expect(try linked.parcels(named: "a").map(\.content) == [Parcel.large(1)])
  }
}
