import Foundation
import SwiftData
import Testing

@testable import SwiftDataSQLite

@Suite("Paths of stores")
struct FilePathTests {
  static let names = [
    "a b", "100%", "%41", "a?b", "a#b", "a'b", "a\"b", "a\\b", "a\nb", "a\tb", "\u{7}", "-a", "~",
    "file:a", ":memory:", "a?mode=memory", "a;b", "$HOME", "*", "[a]", "{a}", "é", "e\u{301}", "日本",
    "👩‍👩‍👧", "\u{202E}abc", "\u{200F}", "\u{FEFF}a", ".hidden", "a.b.c", "...", " ", "a ",
    String(repeating: "n", count: 239), String(repeating: "é", count: 119),
  ]

  @Test("any name that a file can have", arguments: names)
  func anyName(name: String) throws {
    let store = try TemporaryStore()
    let folder = store.folder.appending(path: "in " + name.prefix(20), directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.path + "/" + name + ".store"
    // A `file:` URL as another program writes it, with every byte except the slashes escaped.
    let escaped = path.utf8.map { $0 == UInt8(ascii: "/") ? "/" : String(format: "%%%02X", $0) }
    let urls = [URL(filePath: path), try #require(URL(string: "file://" + escaped.joined()))]
    for (index, url) in urls.enumerated() {
      let container = try ParcelPlace.container(url)
      let context = ModelContext(container)
      context.insert(Parcel("\(index)", content: Parcel.large(index)))
      try context.save()
      let other = try ParcelPlace.container(urls[1 - index])
      #expect(try other.parcels(named: "\(index)").map(\.content) == [Parcel.large(index)])
    }
    let readOnly = try ParcelPlace.container(urls[0], allowsSave: false)
    #expect(try ModelContext(readOnly).fetchCount(FetchDescriptor<Parcel>()) == 2)
    let found = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(
      found.allSatisfy {
        $0.utf8.starts(with: name.utf8) || $0.utf8.starts(with: ("." + name).utf8)
      })
    #expect(found.contains { Array($0.utf8) == Array((name + ".store").utf8) })
    #expect(try FileManager.default.contentsOfDirectory(atPath: store.folder.path).count == 1)
  }

  @Test(
    "a name too long for SQLite's files beside it is refused, and nothing is made",
    arguments: 242...250)
  func longNames(count: Int) throws {
    let store = try TemporaryStore()
    let url = store.folder.appending(path: String(repeating: "n", count: count) + ".store")
    do {
      let container = try ParcelPlace.container(url)
      Issue.record("\(container) was made")
    } catch let error as StoreError {
      #expect(error.code == .cannotOpen)
    } catch is SwiftDataError {
      // The configuration itself refuses the name.
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: store.folder.path).isEmpty)
  }

  @Test(
    "a URL that names no file is refused",
    arguments: ["https://example.org/a.store", "data:a", "file:///tmp/a%00b.store", "file://"])
  func noFile(text: String) throws {
    let url = try #require(URL(string: text))
    do {
      let container = try ParcelPlace.container(url)
      Issue.record("\(container) was made")
    } catch let error as StoreError {
      #expect(error.code == .cannotOpen)
    } catch is SwiftDataError {
      // The configuration itself refuses the name.
    }
  }

  @Test("a path that isn't UTF-8 is refused, or opens exactly that file")
  func invalidText() throws {
    let store = try TemporaryStore()
    let url = try #require(URL(string: "file://" + store.folder.path + "/%FF%FE.store"))
    do {
      let container = try ParcelPlace.container(url)
      Issue.record("\(container) was made")
    } catch let error as StoreError {
      #expect(error.code == .cannotOpen)
    } catch is SwiftDataError {
      // The configuration itself refuses the name.
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: store.folder.path).isEmpty)
  }

  @Test("the URI for opening without locks names the same file", arguments: names)
  func immutableNames(name: String) throws {
    let store = try TemporaryStore()
    let url = URL(filePath: store.folder.path + "/" + name + ".store")
    do {
      let context = ModelContext(try ParcelPlace.container(url))
      context.insert(Parcel("a"))
      try context.save()
    }
    let location = try StoreLocation.resolving(url)
    #expect(
      !location.immutableName.dropFirst("file:".count).dropLast("?immutable=1".count).contains("?"))
    let handle = try SQLiteFile(uri: location.immutableName)
    #expect(try handle.integer("SELECT count(*) FROM Parcel") == 1)
  }

  @Test("a link to nothing is where the file is made; a link in a circle is an error")
  func links() throws {
    let store = try TemporaryStore()
    let link = store.folder.appending(path: "link.store")
    #expect(symlink("real.store", link.path) == 0)
    let context = ModelContext(try ParcelPlace.container(link))
    context.insert(Parcel("a", content: Parcel.large(1)))
    try context.save()
    #expect(FileManager.default.fileExists(atPath: store.folder.appending(path: "real.store").path))
    let circle = store.folder.appending(path: "circle.store")
    #expect(symlink("circle.store", circle.path) == 0)
    #expect(throws: StoreError.self) { _ = try ParcelPlace.container(circle) }
  }
}
