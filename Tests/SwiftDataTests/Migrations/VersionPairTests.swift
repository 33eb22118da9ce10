import MigrationSamples
import SwiftData
import Testing

@Suite("All pairs of five versions", .enabled(if: StoreKind.tested == .sqlite, "is about files"))
struct VersionPairTests {
  static let pairs = MusicStore.versions.flatMap { from in
    MusicStore.versions.filter { $0 > from }.map { (from, $0) }
  }

  @Test("every older store becomes every newer one, with its data", arguments: pairs)
  func forward(_ from: Int, _ to: Int) throws {
    let store = try TemporaryStore()
    try MusicStore.make(store.file, from)
    let context = ModelContext(try MusicStore.open(store.file, to))
    let count = { (table: String) in try store.value("SELECT count(*) FROM \(table)") }
    #expect(try count("Artist") == "20")
    #expect(try count("Album") == "60")
    #expect(try count("Track") == (from == 1 ? "0" : "60"))
    #expect(try store.values("PRAGMA foreign_key_check") == [])
    #expect(try store.value("PRAGMA integrity_check") == "ok")
    #expect(
      try store.value("SELECT value FROM _metadata WHERE key = 'schema.version'") == "\(to).0.0")
    switch to {
    case 2:
      let albums = try context.fetch(FetchDescriptor<MusicVersion2.Album>())
      #expect(
        albums.count { $0.artist != nil } == 40 && albums.allSatisfy { $0.genre == "unknown" })
    case 3:
      let artists = try context.fetch(FetchDescriptor<MusicVersion3.Artist>())
      #expect(artists.allSatisfy { $0.albums.count == 2 })
    case 4:
      let artists = try context.fetch(FetchDescriptor<MusicVersion4.Artist>())
      #expect(artists.allSatisfy { $0.albums.count == 2 && !$0.lastName.isEmpty })
    default:
      let artists = try context.fetch(FetchDescriptor<MusicVersion5.Artist>())
      #expect(artists.allSatisfy { $0.albums.count == 2 && !$0.lastName.isEmpty })
      if from < 4 {
        #expect(artists.count { $0.firstName == "The" && $0.lastName.hasPrefix("Solo") } == 7)
      }
    }
  }

  @Test("no newer store becomes an older one", arguments: pairs)
  func backward(_ to: Int, _ from: Int) throws {
    let store = try TemporaryStore()
    try MusicStore.make(store.file, from, count: 2)
    let before = try MusicFiles.contents(store.file)
    #expect(throws: SwiftDataError.backwardMigration) { _ = try MusicStore.open(store.file, to) }
    #expect(try MusicFiles.contents(store.file) == before)
  }

  @Test("a store doesn't depend on the versions on its way", arguments: pairs)
  func steps(_ from: Int, _ to: Int) throws {
    let direct = try TemporaryStore()
    let stepped = try TemporaryStore()
    try MusicStore.make(direct.file, from)
    try MusicStore.make(stepped.file, from)
    _ = try MusicStore.open(direct.file, to)
    for version in (from + 1)...to { _ = try MusicStore.open(stepped.file, version) }
    #expect(try MusicFiles.contents(direct.file) == MusicFiles.contents(stepped.file))
  }
}
