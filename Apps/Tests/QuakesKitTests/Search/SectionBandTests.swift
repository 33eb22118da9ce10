import Foundation
import Testing

@testable import QuakesKit
@testable import TestSupport

@Suite("The surroundings of a line")
struct SectionBandTests {
  private typealias Point = SectionBand.Point

  private func band(_ from: (Double, Double), _ to: (Double, Double), _ width: Double = 100)
    -> SectionBand?
  {
    SectionBand(
      from: Point(latitude: from.0, longitude: from.1), to: Point(latitude: to.0, longitude: to.1),
      halfWidth: width)
  }

  @Test("Places beside the equator and a meridian are those of degrees, on the left with a plus")
  func places() throws {
    let degree = GreatCircle.radius * .pi / 180
    let equator = try #require(band((0, 175), (0, -175)))
    #expect(abs(equator.length - 10 * degree) < 1e-6)
    let east = equator.place(of: Point(latitude: 1, longitude: -179))
    #expect(abs(east.along - 6 * degree) < 1e-6 && abs(east.across - degree) < 1e-6)
    let before = equator.place(of: Point(latitude: -2, longitude: 174))
    #expect(abs(before.along + degree) < 1e-6 && abs(before.across + 2 * degree) < 1e-6)
    // Over the pole: from 80° north at 0° east to 80° north at 180°.
    let pole = try #require(band((80, 0), (80, 180)))
    let beyond = pole.place(of: Point(latitude: 85, longitude: 180))
    #expect(abs(beyond.along - 15 * degree) < 1e-6 && abs(beyond.across) < 1e-6)
  }

  @Test("Ends that are equal, opposite, or one point under two names have no line between them")
  func ends() {
    #expect(band((10, 20), (10, 20)) == nil)
    #expect(band((10, 20), (-10, -160)) == nil)
    #expect(band((90, 0), (90, 120)) == nil)
    #expect(band((0, 180), (0, -180)) == nil)
    #expect(band((0, 0), (0, 0.008)) == nil)
    #expect(band((0, 0), (0, 0.01)) != nil)
    #expect(band((0, 0), (0, 179.8)) != nil)
    #expect(band((0, 0), (0, 179.9)) == nil)
  }

  @Test("The boxes for the store have every point of the band")
  func cover() throws {
    var random = SeededGenerator(seed: 23)
    var inside = 0
    for _ in 0..<300 {
      let from = (Double.random(in: -90...90, using: &random), longitude(&random))
      let to = (Double.random(in: -90...90, using: &random), longitude(&random))
      let width = Double.random(in: 0.5...1_000, using: &random)
      guard let band = band(from, to, width) else { continue }
      for _ in 0..<40 {
        // Half of them near the line's ends, where the band ends, too.
        let near = Bool.random(using: &random) ? from : to
        let latitude = max(-90, min(90, near.0 + Double.random(in: -20...20, using: &random)))
        let point = (latitude: latitude, longitude: longitude(&random))
        let place = band.place(of: Point(latitude: point.latitude, longitude: point.longitude))
        let ends = [from, to].map { end in
          GreatCircle.distance(from: (end.1, end.0), to: (point.longitude, point.latitude))
        }
        #expect(abs(place.across) <= min(ends[0], ends[1]) + 1e-6)
        guard band.contains(latitude: point.latitude, longitude: point.longitude) else { continue }
        inside += 1
        #expect(
          band.circles.contains {
            $0.contains(latitude: point.latitude, longitude: point.longitude)
          })
        #expect(
          band.circles.flatMap(\.boxes).contains {
            $0.latitudes.contains(point.latitude) && $0.longitudes.contains(point.longitude)
          })
      }
    }
    #expect(inside > 200)
  }

  private func longitude(_ random: inout SeededGenerator) -> Double {
    Double.random(in: -180...180, using: &random)
  }
}
