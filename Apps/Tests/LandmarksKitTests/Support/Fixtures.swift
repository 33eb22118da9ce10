import Foundation
import LandmarksKit
import SwiftData

@testable import ProgramTesting

enum Fixtures {
  static func landmark(_ id: Int, _ name: String = "Half Dome", isFavorite: Bool = false)
    -> Landmark
  {
    Landmark(
      id: id, name: name, state: "California", city: "Yosemite", category: .mountains,
      isFeatured: true, isFavorite: isFavorite, imageName: "halfdome",
      coordinates: .init(latitude: 37.7459, longitude: -119.5332), description: "A granite dome")
  }

  /// Returns a store in memory with some landmarks.
  static func store(_ landmarks: [Landmark]) throws -> LandmarkStore {
    let store = try LandmarkStore(file: nil)
    try fill(store, landmarks)
    return store
  }

  static func fill(_ store: LandmarkStore, _ landmarks: [Landmark]) throws {
    let context = ModelContext(store.container)
    for landmark in landmarks { context.insert(landmark.toStored()) }
    try context.save()
  }

  /// 1 June 2030 at noon in Greenwich.
  static let noon = Date(timeIntervalSince1970: 1_906_545_600)
  /// A month before ``noon``.
  static let now = Date(timeIntervalSince1970: 1_903_867_200)
}
