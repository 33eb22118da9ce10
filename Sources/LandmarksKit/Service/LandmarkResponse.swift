/// A landmark as the server sends it. It has no favourite mark, which belongs to the user.
public struct LandmarkResponse: Codable, Hashable, Sendable {
  public var id: Int
  public var name: String
  public var state: String
  public var city: String
  public var category: String
  public var isFeatured: Bool
  public var imageName: String
  public var coordinates: Landmark.Coordinates
  public var description: String

  /// Creates the server's representation of a landmark.
  public init(_ landmark: Landmark) {
    id = landmark.id
    name = landmark.name
    state = landmark.state
    city = landmark.city
    category = landmark.category.rawValue
    isFeatured = landmark.isFeatured
    imageName = landmark.imageName
    coordinates = landmark.coordinates
    description = landmark.description
  }

  /// Returns the landmark, not marked as a favourite.
  /// - Throws: ``LandmarksError/Code/badAnswer`` for a place that isn't on Earth or has no name.
  public func toDomain() throws -> Landmark {
    guard coordinates.isValid, !name.isEmpty else {
      throw LandmarksError(
        .badAnswer, "landmark \(id)", reason: "it has no name, or no place on Earth")
    }
    return Landmark(
      id: id, name: name, state: state, city: city,
      category: Landmark.Category(rawValue: category) ?? .lakes, isFeatured: isFeatured,
      isFavorite: false, imageName: imageName, coordinates: coordinates, description: description)
  }
}
