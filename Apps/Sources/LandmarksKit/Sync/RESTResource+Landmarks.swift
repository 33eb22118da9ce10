import Foundation
import SwiftDataSync
import SwiftDataSyncHTTP

extension RESTResource {
  /// `favorites`: the numbers of the landmarks that the user marked as favorites.
  static let favorites = RESTResource.set(
    entity: LandmarkSync.landmark, path: "favorites", list: "favorites", property: "isFavorite")

  /// `reservations`: one resource for each reservation, whose entity tag is its revision.
  static let reservations = RESTResource(
    entity: LandmarkSync.reservation, path: "reservations",
    versions: .revision(member: "revision")
  ) { element in
    guard case .object(let members) = element,
      let id = members["id"]?.text.flatMap({ UUID(uuidString: $0) })
    else {
      throw LandmarksError(.badAnswer, "reservations", reason: "one has no identifier")
    }
    var values: SyncValues = [
      "landmarkID": members["landmarkID"] ?? .null,
      // A date in another format becomes a value that no reservation can hold, so that the change
      // is set aside.
      "date": moment(members["date"]) ?? .null,
      "status": members["status"] ?? .null,
    ]
    // A server of an earlier version has no notes; without a value, the note here is kept.
    values["note"] = members["note"]
    return (id.uuidString, values)
  } write: { _, values in
    var members: [String: SyncValue] = [
      "landmarkID": values["landmarkID"] ?? .null, "status": values["status"] ?? .null,
      "date": text(values["date"]),
    ]
    members["note"] = values["note"]
    return .object(members)
  }

  /// `photos`: one resource for each photo, with its bytes as an attachment. Servers of earlier versions have none.
  static let photos: RESTResource = {
    var photos = RESTResource(
      entity: LandmarkSync.photo, path: "photos", versions: .revision(member: "revision")
    ) { element in
      guard case .object(let members) = element,
        let id = members["id"]?.text.flatMap({ UUID(uuidString: $0) })
      else { throw LandmarksError(.badAnswer, "photos", reason: "one has no identifier") }
      return (
        id.uuidString,
        [
          "reservationID": members["reservationID"] ?? .null,
          "added": moment(members["added"]) ?? .null, "caption": members["caption"] ?? .null,
          "data": members["data"] ?? .null,
        ]
      )
    } write: { _, values in
      .object([
        "reservationID": values["reservationID"] ?? .null, "added": text(values["added"]),
        "caption": values["caption"] ?? .null, "data": values["data"] ?? .null,
      ])
    }
    photos.isOptional = true
    return photos
  }()

  /// Returns the store's form of a date as ISO 8601.
  private static func text(_ value: SyncValue?) -> SyncValue {
    value?.number.map { number in
      .text(
        Date(timeIntervalSinceReferenceDate: number).formatted(
          Date.ISO8601FormatStyle(timeZone: .gmt)))
    } ?? .null
  }

  /// Returns an ISO 8601 date in the form that the store uses.
  private static func moment(_ value: SyncValue?) -> SyncValue? {
    guard let text = value?.text else { return nil }
    return InternetDate.parse(text).map { .real($0.timeIntervalSinceReferenceDate) } ?? value
  }
}
