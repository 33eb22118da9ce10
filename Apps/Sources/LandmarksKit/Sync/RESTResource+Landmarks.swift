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
      "date": values["date"]?.number.map { number in
        .text(
          Date(timeIntervalSinceReferenceDate: number).formatted(
            Date.ISO8601FormatStyle(timeZone: .gmt)))
      } ?? .null,
    ]
    members["note"] = values["note"]
    return .object(members)
  }

  /// Returns an ISO 8601 date in the form that the store uses.
  private static func moment(_ value: SyncValue?) -> SyncValue? {
    guard let text = value?.text else { return nil }
    return InternetDate.parse(text).map { .real($0.timeIntervalSinceReferenceDate) } ?? value
  }
}
