import LocalCopy

/// A place worth a visit. Its JSON is the server's: without the favorite mark, which belongs to the user.
@FeedElement
public struct Landmark: Identifiable, Hashable, Codable, Sendable {
  /// The number that the server gave the landmark.
  public var id: Int
  public var name: String
  public var state: String
  /// The city, or the nearest town.
  public var city: String
  public var category: Category
  /// Whether the server features the landmark.
  public var isFeatured: Bool
  /// Whether the user of this device marked it as a favorite. The server never sets it.
  public var isFavorite = false
  public var imageName: String
  public var coordinates: Coordinates
  public var description: String

  enum CodingKeys: CodingKey {
    case id, name, state, city, category, isFeatured, imageName, coordinates, description
  }

  public init(
    id: Int, name: String, state: String, city: String, category: Category, isFeatured: Bool,
    isFavorite: Bool = false, imageName: String, coordinates: Coordinates, description: String
  ) {
    self.id = id
    self.name = name
    self.state = state
    self.city = city
    self.category = category
    self.isFeatured = isFeatured
    self.isFavorite = isFavorite
    self.imageName = imageName
    self.coordinates = coordinates
    self.description = description
  }
}

extension Landmark {
  /// Returns the landmark if it can be shown.
  /// - Throws: ``LandmarksError/Code/badAnswer`` for a place that isn't on Earth or has no name.
  public func checked() throws -> Landmark {
    guard coordinates.isValid, !name.isEmpty else {
      throw LandmarksError(
        .badAnswer, "landmark \(id)", reason: "it has no name, or no place on Earth")
    }
    return self
  }

  /// The category of a landmark.
  public enum Category: String, CaseIterable, Codable, Sendable {
    case lakes, rivers, mountains, canyons, coasts, forests, deserts, caves, monuments

    /// Returns the category of a name; one that this version doesn't know counts as lakes.
    init(name: String) { self = Category(rawValue: name) ?? .lakes }

    public init(from decoder: any Decoder) throws { self.init(name: try String(from: decoder)) }
  }

  /// A point on Earth (WGS 84).
  @FeedElement
  public struct Coordinates: Hashable, Codable, Sendable {
    /// Degrees north.
    public var latitude: Double
    /// Degrees east.
    public var longitude: Double

    public init(latitude: Double, longitude: Double) {
      self.latitude = latitude
      self.longitude = longitude
    }

    /// Whether the coordinates are in range.
    public var isValid: Bool { abs(latitude) <= 90 && abs(longitude) <= 180 }
  }
}
