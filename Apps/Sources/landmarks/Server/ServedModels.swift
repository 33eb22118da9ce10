import Foundation
import LandmarksKit
import SwiftData
import SwiftDataSync

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

/// A photo of a user's visit.
@Model
final class ServedPhoto {
  #Unique<ServedPhoto>([\.user, \.number])
  #Index<ServedPhoto>([\.user, \.reservation])
  var user: String
  var number: UUID
  /// The number of the visit.
  var reservation: UUID
  var added: Date
  var caption: String
  var revision: Int
  /// The SHA-256 of ``data`` in hexadecimal digits; with the size, what lists of photos need. Nil for a photo that
  /// stands in documents itself.
  var digest: String?
  /// The size of ``data``, in bytes.
  var byteCount: Int
  @Attribute(.externalStorage) var data: Data

  init(user: String, number: UUID, body: PhotoBody, data: Data, revision: Int) {
    self.user = user
    self.number = number
    reservation = body.reservationID
    added = body.added
    caption = body.caption
    self.revision = revision
    digest = nil
    byteCount = 0
    self.data = Data()
    set(body.data, data)
  }

  /// Sets the bytes.
  func set(_ content: PhotoContent, _ data: Data) {
    digest = if case .attachment(let attachment) = content { attachment.sha256 } else { nil }
    byteCount = data.count
    self.data = data
  }

  /// The attachment in documents; nil for a small photo.
  var attachment: SyncAttachment? {
    digest.flatMap { SyncAttachment(sha256: $0, byteCount: byteCount) }
  }

  /// The bytes as they stand in documents.
  var content: PhotoContent {
    attachment.map { .attachment($0) } ?? .bytes(data)
  }

  var body: PhotoBody {
    PhotoBody(reservationID: reservation, added: added, caption: caption, data: content)
  }

  var answer: PhotoAnswer { PhotoAnswer(id: number, body: body, revision: revision) }
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

/// Revisions that were skipped: none of them is in this store, but one may be on a device, from a state that was lost
/// when the store was replaced by an older copy.
@Model
final class ServedSkip {
  @Attribute(.unique) var first: Int
  var last: Int

  init(first: Int, last: Int) {
    self.first = first
    self.last = last
  }
}
