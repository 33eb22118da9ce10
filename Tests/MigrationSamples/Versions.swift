import SwiftData

/// Five versions of the models of a record collection.
public enum MusicVersion1: VersionedSchema {
  public static var models: [any PersistentModel.Type] { [Artist.self, Album.self] }
  public static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }

  @Model
  public final class Artist {
    public var name: String
    public var born: Int
    @Relationship(inverse: \Album.artist) public var albums: [Album] = []
    public init(_ name: String, born: Int) {
      self.name = name
      self.born = born
    }
  }

  @Model
  public final class Album {
    public var title: String
    public var year: Int16
    public var artist: Artist?
    public init(_ title: String, year: Int16) {
      self.title = title
      self.year = year
    }
  }
}

/// A property is renamed, a number type is wider, an entity is new.
public enum MusicVersion2: VersionedSchema {
  public static var models: [any PersistentModel.Type] { [Artist.self, Album.self, Track.self] }
  public static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }

  @Model
  public final class Artist {
    @Attribute(originalName: "name") public var fullName: String
    public var born: Int
    @Relationship(inverse: \Album.artist) public var albums: [Album] = []
    public init(_ name: String, born: Int) {
      fullName = name
      self.born = born
    }
  }

  @Model
  public final class Album {
    public var title: String
    public var year: Int
    public var genre: String = "unknown"
    public var artist: Artist?
    @Relationship(deleteRule: .cascade, inverse: \Track.album) public var tracks: [Track] = []
    public init(_ title: String, year: Int) {
      self.title = title
      self.year = year
    }
  }

  @Model
  public final class Track {
    public var name: String
    public var seconds: Int
    public var album: Album?
    public init(_ name: String, seconds: Int) {
      self.name = name
      self.seconds = seconds
    }
  }
}

/// Albums can have several artists; seconds can have fractions.
public enum MusicVersion3: VersionedSchema {
  public static var models: [any PersistentModel.Type] { [Artist.self, Album.self, Track.self] }
  public static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }

  @Model
  public final class Artist {
    @Attribute(originalName: "name") public var fullName: String
    public var born: Int
    public var site: URL?
    @Relationship(inverse: \Album.artists) public var albums: [Album] = []
    public init(_ name: String, born: Int) {
      fullName = name
      self.born = born
    }
  }

  @Model
  public final class Album {
    public var title: String
    public var year: Int
    public var genre: String = "unknown"
    @Relationship(originalName: "artist") public var artists: [Artist] = []
    @Relationship(deleteRule: .cascade, inverse: \Track.album) public var tracks: [Track] = []
    public init(_ title: String, year: Int) {
      self.title = title
      self.year = year
    }
  }

  @Model
  public final class Track {
    public var name: String
    public var seconds: Double
    public var album: Album?
    public init(_ name: String, seconds: Double) {
      self.name = name
      self.seconds = seconds
    }
  }
}

/// A custom stage splits names.
public enum MusicVersion4: VersionedSchema {
  public static var models: [any PersistentModel.Type] { [Artist.self, Album.self, Track.self] }
  public static var versionIdentifier: Schema.Version { Schema.Version(4, 0, 0) }

  @Model
  public final class Artist {
    @Attribute(originalName: "name") public var fullName: String
    public var firstName: String = ""
    public var lastName: String = ""
    public var born: Int
    @Relationship(inverse: \Album.artists) public var albums: [Album] = []
    public init(_ name: String, born: Int) {
      fullName = name
      self.born = born
    }
  }

  @Model
  public final class Album {
    public var title: String
    public var year: Int?
    public var genre: String = "unknown"
    @Relationship(originalName: "artist") public var artists: [Artist] = []
    @Relationship(deleteRule: .cascade, inverse: \Track.album) public var tracks: [Track] = []
    public init(_ title: String, year: Int) {
      self.title = title
      self.year = year
    }
  }

  @Model
  public final class Track {
    public var name: String
    public var seconds: Double
    public var album: Album?
    public init(_ name: String, seconds: Double) {
      self.name = name
      self.seconds = seconds
    }
  }
}

/// Unused properties are removed; titles are unique; delete rules change.
public enum MusicVersion5: VersionedSchema {
  public static var models: [any PersistentModel.Type] { [Artist.self, Album.self, Track.self] }
  public static var versionIdentifier: Schema.Version { Schema.Version(5, 0, 0) }

  @Model
  public final class Artist {
    #Index<Artist>([\.lastName])
    public var firstName: String = ""
    public var lastName: String = ""
    public var born: Int
    @Relationship(inverse: \Album.artists) public var albums: [Album] = []
    public init(_ name: String, born: Int) {
      lastName = name
      self.born = born
    }
  }

  @Model
  public final class Album {
    #Unique<Album>([\.title])
    public var title: String
    public var year: Int?
    @Attribute(.spotlight) public var genre: String = "unknown"
    @Relationship(originalName: "artist") public var artists: [Artist] = []
    @Relationship(deleteRule: .nullify, inverse: \Track.album) public var tracks: [Track] = []
    public init(_ title: String, year: Int) {
      self.title = title
      self.year = year
    }
  }

  @Model
  public final class Track {
    public var name: String
    public var seconds: Double
    public var plays: Int = 0
    public var album: Album?
    public init(_ name: String, seconds: Double) {
      self.name = name
      self.seconds = seconds
    }
  }
}
