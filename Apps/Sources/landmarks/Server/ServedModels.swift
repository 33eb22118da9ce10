import Foundation
import LandmarksKit
import SwiftData

/// A landmark that the server offers to all users.
@Model
final class ServedLandmark {
  @Attribute(.unique) var number: Int
  var name: String
  var state: String
  var city: String
  var category: String
  var isFeatured: Bool
  var imageName: String
  var latitude: Double
  var longitude: Double
  var text: String

  init(_ landmark: Landmark) {
    number = landmark.id
    name = landmark.name
    state = landmark.state
    city = landmark.city
    category = landmark.category.rawValue
    isFeatured = landmark.isFeatured
    imageName = landmark.imageName
    latitude = landmark.coordinates.latitude
    longitude = landmark.coordinates.longitude
    text = landmark.description
  }
}

/// A favorite of a user.
@Model
final class ServedFavorite {
  #Unique<ServedFavorite>([\.user, \.landmarkID])
  var user: String
  var landmarkID: Int

  init(user: String, landmarkID: Int) {
    self.user = user
    self.landmarkID = landmarkID
  }
}

/// A reservation of a user.
@Model
final class ServedReservation {
  #Unique<ServedReservation>([\.user, \.number])
  #Index<ServedReservation>([\.landmarkID, \.date])
  var user: String
  var number: UUID
  var landmarkID: Int
  var date: Date
  var status: String
  var revision: Int
  /// The user's note; nil as long as no client has sent one, as in stores of earlier versions: a device that had one
  /// before the server kept notes must not lose it.
  var note: String?

  init(user: String, number: UUID, body: ReservationBody, revision: Int) {
    self.user = user
    self.number = number
    landmarkID = body.landmarkID
    date = body.date
    status = body.status
    self.revision = revision
    note = body.note
  }

  var answer: ReservationAnswer {
    ReservationAnswer(
      id: number, landmarkID: landmarkID, date: date, status: status, note: note,
      revision: revision)
  }

  var body: ReservationBody {
    ReservationBody(landmarkID: landmarkID, date: date, status: status, note: note)
  }
}

/// A counter of changes. It ensures that no revision is used twice, not even for a reservation that
/// was removed and created again.
@Model
final class ServedCounter {
  @Attribute(.unique) var name: String
  var value: Int

  init(name: String, value: Int) {
    self.name = name
    self.value = value
  }
}
