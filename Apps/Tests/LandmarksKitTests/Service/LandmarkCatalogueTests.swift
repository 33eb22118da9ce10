import LandmarksKit
import Testing

@Suite("The landmarks that come with the package")
struct LandmarkCatalogueTests {
  /// The south, north, west and east limits of each state, in degrees, with some margin at coasts.
  private static let bounds: [String: [Double]] = [
    "Alaska": [51, 71.6, -180, -129.9], "Arizona": [31.3, 37.1, -114.9, -109],
    "California": [32.5, 42.1, -124.6, -114.1], "Colorado": [36.9, 41.1, -109.1, -102],
    "Connecticut": [40.9, 42.1, -73.8, -71.7], "Florida": [24.3, 31.1, -87.7, -79.9],
    "Georgia": [30.3, 35.1, -85.7, -80.8], "Hawaii": [18.9, 22.3, -160.3, -154.8],
    "Idaho": [41.9, 49.1, -117.3, -111], "Kansas": [36.9, 40.1, -102.1, -94.5],
    "Kentucky": [36.4, 39.2, -89.6, -81.9], "Maine": [42.9, 47.5, -71.1, -66.9],
    "Massachusetts": [41.2, 42.9, -73.6, -69.9], "Michigan": [41.6, 48.4, -90.5, -82.3],
    "Minnesota": [43.4, 49.5, -97.3, -89.4], "Missouri": [35.9, 40.7, -95.8, -89],
    "Montana": [44.3, 49.1, -116.1, -104], "Nebraska": [39.9, 43.1, -104.1, -95.3],
    "Nevada": [35, 42.1, -120.1, -114], "New Hampshire": [42.6, 45.4, -72.6, -70.6],
    "New Mexico": [31.3, 37.1, -109.1, -103], "New York": [40.4, 45.1, -79.8, -71.8],
    "North Carolina": [33.8, 36.6, -84.4, -75.4], "Oregon": [41.9, 46.3, -124.7, -116.4],
    "Pennsylvania": [39.7, 42.3, -80.6, -74.6], "South Dakota": [42.4, 46, -104.1, -96.4],
    "Tennessee": [34.9, 36.7, -90.4, -81.6], "Texas": [25.8, 36.6, -106.7, -93.5],
    "Utah": [36.9, 42.1, -114.1, -109], "Virginia": [36.5, 39.5, -83.7, -75.2],
    "Washington": [45.5, 49.1, -124.9, -116.9], "West Virginia": [37.2, 40.7, -82.7, -77.7],
    "Wisconsin": [42.4, 47.4, -92.9, -86.2], "Wyoming": [40.9, 45.1, -111.1, -104],
  ]

  @Test("each is in its state, and has all that the page shows")
  func places() throws {
    let landmarks = try LandmarkCatalogue.load()
    #expect(landmarks.count >= 60)
    for landmark in landmarks {
      let bounds = try #require(Self.bounds[landmark.state], "\(landmark.name): unknown state")
      let place = landmark.coordinates
      #expect(
        (bounds[0]...bounds[1]).contains(place.latitude), "\(landmark.name) in \(landmark.state)")
      #expect(
        (bounds[2]...bounds[3]).contains(place.longitude), "\(landmark.name) in \(landmark.state)")
      #expect(!landmark.name.isEmpty && !landmark.city.isEmpty)
      #expect((20...140).contains(landmark.description.count), "\(landmark.name)")
      #expect(landmark.description.hasSuffix("."))
    }
  }

  @Test("numbers and names are unique, every kind occurs, and some are featured")
  func variety() throws {
    let landmarks = try LandmarkCatalogue.load()
    #expect(Set(landmarks.map(\.id)).count == landmarks.count)
    #expect(Set(landmarks.map(\.name)).count == landmarks.count)
    #expect(Set(landmarks.map(\.imageName)).count == landmarks.count)
    #expect(Set(landmarks.map(\.category)) == Set(Landmark.Category.allCases))
    #expect((5...20).contains(landmarks.count(where: \.isFeatured)))
  }
}
