import SwiftData
import SwiftDataExtras
import Testing

@Model @Snapshotable
final class Playlist {
  var name: String
  @Relationship(.ordered, inverse: \Song.playlist) var songs: [Song] = []

  init(_ name: String) { self.name = name }
}

@Model @Snapshotable
final class Song {
  var title: String
  var playlist: Playlist?

  init(_ title: String) { self.title = title }
}

@Suite("Additions to Apple's interface over a custom store")
struct AdditionTests {
  let context: ModelContext

  init() throws {
    let configuration = DictionaryConfiguration(name: "songs")
    context = ModelContext(
      try ModelContainer(for: Playlist.self, configurations: configuration))
    let playlist = Playlist("p")
    context.insert(playlist)
    playlist.songs = "cab".map { Song(String($0)) }
    try context.save()
  }

  @Test("a list's order is that of the array in the snapshot")
  func order() throws {
    func titles() throws -> [String] {
      let other = ModelContext(context.container)
      let playlist = try #require(try other.fetch(FetchDescriptor<Playlist>()).first)
      return playlist.songs.map(\.title)
    }
    #expect(try titles() == ["c", "a", "b"])
    let playlist = try #require(try context.fetch(FetchDescriptor<Playlist>()).first)
    playlist.songs.swapAt(0, 1)
    try context.save()
    #expect(try titles() == ["a", "c", "b"])
  }

  @Test("values are taken from models")
  func snapshots() throws {
    let songs = FetchDescriptor<Song>(sortBy: [SortDescriptor(\.title)])
    let read = try context.container.snapshots(songs)
    #expect(read.map(\.title) == ["a", "b", "c"])
    let playlist = try #require(try context.fetch(FetchDescriptor<Playlist>()).first)
    #expect(read.allSatisfy { $0.playlist == playlist.persistentModelID })
    var seen: [String] = []
    try context.enumerateSnapshots(songs, batchSize: 2) { seen.append($0.title) }
    #expect(seen == ["a", "b", "c"])
  }
}
