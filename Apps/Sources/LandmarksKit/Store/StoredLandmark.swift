import Foundation
import SwiftData

/// A landmark in the store.
///
/// All properties except ``isFavorite`` are the server's: a refresh writes them to the row with the
/// same ``remoteID`` and leaves the favorite mark as the user set it.
@Model
public final class StoredLandmark {
  #Index<StoredLandmark>([\.category, \.name], [\.name])

  /// The number that the server gave the landmark.
  @Attribute(.unique) public var remoteID: Int
  public var name: String
  public var state: String
  public var city: String
  /// The raw value of a ``Landmark/Category``.
  public var category: String
  public var isFeatured: Bool
  public var isFavorite: Bool
  public var imageName: String
  public var latitude: Double
  public var longitude: Double
  public var landmarkDescription: String
  /// The time at which a refresh last wrote the landmark.
  public var lastSynced: Date

  public init(
    remoteID: Int, name: String, state: String, city: String, category: String, isFeatured: Bool,
    isFavorite: Bool, imageName: String, latitude: Double, longitude: Double,
    landmarkDescription: String, lastSynced: Date = .now
  ) {
    self.remoteID = remoteID
    self.name = name
    self.state = state
    self.city = city
    self.category = category
    self.isFeatured = isFeatured
    self.isFavorite = isFavorite
    self.imageName = imageName
    self.latitude = latitude
    self.longitude = longitude
    self.landmarkDescription = landmarkDescription
    self.lastSynced = lastSynced
  }
}

extension StoredLandmark {
  /// Returns the landmark; a category that this version doesn't know counts as lakes.
  public func toDomain() -> Landmark {
    Landmark(
      id: remoteID, name: name, state: state, city: city,
      category: Landmark.Category(name: category), isFeatured: isFeatured,
      isFavorite: isFavorite, imageName: imageName,
      coordinates: Landmark.Coordinates(latitude: latitude, longitude: longitude),
      description: landmarkDescription)
  }
}

extension Landmark {
  /// Returns a model of the landmark, in no context yet.
  public func toStored() -> StoredLandmark {
    StoredLandmark(
      remoteID: id, name: name, state: state, city: city, category: category.rawValue,
      isFeatured: isFeatured, isFavorite: isFavorite, imageName: imageName,
      latitude: coordinates.latitude, longitude: coordinates.longitude,
      landmarkDescription: description)
  }
}
