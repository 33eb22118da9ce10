import SwiftData

// The models and conversions of docs/offline-first.md, as a user writes them.

struct Landmark: Identifiable, Hashable, Sendable {
  enum Category: String, Codable, Sendable { case lakes, rivers, mountains }

  struct Coordinates: Hashable, Codable, Sendable {
    var latitude: Double
    var longitude: Double
  }

  var id: Int
  var name: String
  var state: String
  var city: String
  var category: Category
  var isFeatured: Bool
  var isFavorite: Bool
  var imageName: String
  var coordinates: Coordinates
  var description: String
}

@Model
final class StoredLandmark {
  @Attribute(.unique) var remoteID: Int
  var name: String
  var state: String
  var city: String
  var category: String
  var isFeatured: Bool
  var isFavorite: Bool
  var imageName: String
  var latitude: Double
  var longitude: Double
  var landmarkDescription: String
  var lastSynced: Date

  init(
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

@Model
final class StoredReservation {
  @Attribute(.unique) var remoteID: UUID
  var landmarkID: Int
  var date: Date
  var status: String
  var isDirty: Bool
  var lastSynced: Date

  init(
    remoteID: UUID, landmarkID: Int, date: Date, status: String, isDirty: Bool = false,
    lastSynced: Date = .now
  ) {
    self.remoteID = remoteID
    self.landmarkID = landmarkID
    self.date = date
    self.status = status
    self.isDirty = isDirty
    self.lastSynced = lastSynced
  }
}

extension StoredLandmark {
  func toDomain() -> Landmark {
    Landmark(
      id: remoteID, name: name, state: state, city: city,
      category: Landmark.Category(rawValue: category) ?? .lakes, isFeatured: isFeatured,
      isFavorite: isFavorite, imageName: imageName,
      coordinates: Landmark.Coordinates(latitude: latitude, longitude: longitude),
      description: landmarkDescription)
  }
}

extension Landmark {
  func toStored() -> StoredLandmark {
    StoredLandmark(
      remoteID: id, name: name, state: state, city: city, category: category.rawValue,
      isFeatured: isFeatured, isFavorite: isFavorite, imageName: imageName,
      latitude: coordinates.latitude, longitude: coordinates.longitude,
      landmarkDescription: description)
  }
}
