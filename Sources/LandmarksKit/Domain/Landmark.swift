/// A place worth a visit.
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
  /// Whether the user of this device marked it as a favourite. The server never sets it.
  public var isFavorite: Bool
  public var imageName: String
  public var coordinates: Coordinates
  public var description: String

  public init(
    id: Int, name: String, state: String, city: String, category: Category, isFeatured: Bool,
    isFavorite: Bool, imageName: String, coordinates: Coordinates, description: String
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
  /// The category of a landmark.
  public enum Category: String, CaseIterable, Codable, Sendable {
    case lakes, rivers, mountains, canyons, coasts, forests, deserts, caves, monuments
  }

  /// A point on Earth (WGS 84).
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
