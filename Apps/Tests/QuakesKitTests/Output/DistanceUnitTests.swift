import QuakesKit
import Testing

@Suite("Units of distances and depths")
struct DistanceUnitTests {
  @Test(
    "Depths count from sea level, with the feed's digits in kilometres",
    arguments: [
      (12.345, "12.345 km", "7.67 mi", "12 km", "8 mi"),
      (10, "10 km", "6.21 mi", "10 km", "6 mi"),
      (-1, "1 km above sea level", "0.62 mi above sea level", "↑1 km", "↑1 mi"),
      (-0.4, "0.4 km above sea level", "0.25 mi above sea level", "0 km", "0 mi"),
      (0, "0 km, sea level", "0 mi, sea level", "0 km", "0 mi"),
      (1e300, "1e+300 km", "6e+299 mi", "1e+300 km", "6e+299 mi"),
    ] as [(Double, String, String, String, String)])
  func depths(depth: Double, exact: String, miles: String, short: String, shortMiles: String) {
    #expect(DistanceUnit.kilometres.depth(depth) == exact)
    #expect(DistanceUnit.miles.depth(depth) == miles)
    #expect(DistanceUnit.kilometres.shortDepth(depth) == short)
    #expect(DistanceUnit.miles.shortDepth(depth) == shortMiles)
  }

  @Test("Distances have a decimal below ten")
  func distances() {
    #expect(DistanceUnit.kilometres.distance(0.44) == "0.4 km")
    #expect(DistanceUnit.kilometres.distance(1_014.4) == "1014 km")
    #expect(DistanceUnit.miles.distance(1.609344) == "1 mi")
    #expect(DistanceUnit.miles.distance(100) == "62 mi")
  }

  @Test(
    "A place that begins with a distance has it in miles, any other text stays",
    arguments: [
      ("12 km NNW of Town", "7 mi NNW of Town"),
      ("1.5km S of 3 km E of x", "0.9 mi S of 3 km E of x"),
      ("12 km from Town", "12 km from Town"), ("Town, 12 km N of it", "Town, 12 km N of it"),
      ("12345678 km N of Town", "12345678 km N of Town"), ("", ""),
    ])
  func places(text: String, miles: String) {
    #expect(DistanceUnit.miles.place(text) == miles)
    #expect(DistanceUnit.kilometres.place(text) == text)
  }
}
