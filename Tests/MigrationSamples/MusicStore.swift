import SwiftData

/// A store of one of the versions.
public enum MusicStore {
  public static let versions = 1...5

  public static func schema(_ version: Int) -> Schema {
    Schema(versionedSchema: MusicPlan.schemas[version - 1])
  }

  /// Opens a store; migrates it if it has an older version.
  public static func open(
    _ file: URL, _ version: Int, backup: MigrationBackup = .automatic
  ) throws -> ModelContainer {
    var configuration = ModelConfiguration(url: file)
    configuration.migrationBackup = backup
    return try ModelContainer(
      for: schema(version), migrationPlan: MusicPlan.self, configurations: [configuration])
  }

  /// Creates a store of a version with `count` artists and the models related to them.
  public static func make(_ file: URL, _ version: Int, count: Int = 20) throws {
    try fill(ModelContext(try open(file, version)), version, count: count)
  }

  /// Saves `count` artists and the models related to them, in a store of a version.
  public static func fill(_ context: ModelContext, _ version: Int, count: Int = 20) throws {
    for number in 0..<count {
      let name = number.isMultiple(of: 3) ? "Solo\(number)" : "First\(number) Last\(number)"
      switch version {
      case 1: fill1(context, name, number)
      case 2: fill2(context, name, number)
      case 3: fill3(context, name, number)
      case 4: fill4(context, name, number)
      default: fill5(context, name, number)
      }
    }
    try context.save()
  }

  private static func fill1(_ context: ModelContext, _ name: String, _ number: Int) {
    let artist = MusicVersion1.Artist(name, born: 1900 + number)
    context.insert(artist)
    for place in 0..<3 {
      let album = MusicVersion1.Album("Album \(number)-\(place)", year: Int16(1950 + place))
      context.insert(album)
      if place < 2 { album.artist = artist }
    }
  }

  private static func fill2(_ context: ModelContext, _ name: String, _ number: Int) {
    let artist = MusicVersion2.Artist(name, born: 1900 + number)
    context.insert(artist)
    for place in 0..<3 {
      let album = MusicVersion2.Album("Album \(number)-\(place)", year: 1950 + place)
      context.insert(album)
      if place < 2 { album.artist = artist }
      let track = MusicVersion2.Track("Track \(number)-\(place)", seconds: 100 + place)
      context.insert(track)
      track.album = album
    }
  }

  private static func fill3(_ context: ModelContext, _ name: String, _ number: Int) {
    let artist = MusicVersion3.Artist(name, born: 1900 + number)
    artist.site = URL(string: "https://example.org/\(number)")
    context.insert(artist)
    for place in 0..<3 {
      let album = MusicVersion3.Album("Album \(number)-\(place)", year: 1950 + place)
      context.insert(album)
      if place < 2 { album.artists = [artist] }
      let track = MusicVersion3.Track("Track \(number)-\(place)", seconds: 100.5 + Double(place))
      context.insert(track)
      track.album = album
    }
  }

  private static func fill4(_ context: ModelContext, _ name: String, _ number: Int) {
    let artist = MusicVersion4.Artist(name, born: 1900 + number)
    artist.lastName = name
    context.insert(artist)
    for place in 0..<3 {
      let album = MusicVersion4.Album("Album \(number)-\(place)", year: 1950 + place)
      context.insert(album)
      if place == 1 { album.year = nil }
      if place < 2 { album.artists = [artist] }
      let track = MusicVersion4.Track("Track \(number)-\(place)", seconds: 100.5 + Double(place))
      context.insert(track)
      track.album = album
    }
  }

  private static func fill5(_ context: ModelContext, _ name: String, _ number: Int) {
    let artist = MusicVersion5.Artist(name, born: 1900 + number)
    context.insert(artist)
    for place in 0..<3 {
      let album = MusicVersion5.Album("Album \(number)-\(place)", year: 1950 + place)
      context.insert(album)
      if place < 2 { album.artists = [artist] }
      let track = MusicVersion5.Track("Track \(number)-\(place)", seconds: 100.5 + Double(place))
      context.insert(track)
      track.album = album
    }
  }
}
