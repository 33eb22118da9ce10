import Foundation
import QuakesKit
import Testing

@Suite("Distributions of magnitudes")
struct MagnitudeDistributionTests {
  /// Numbers of earthquakes by magnitude. The expected values were computed by hand and with Python.
  private static let counts: [(magnitude: Double, count: Int)] = [
    (1.0, 5), (1.1, 20), (1.2, 60), (1.3, 40), (1.4, 30), (1.5, 20), (1.6, 10), (1.7, 5),
  ]

  private func distribution(
    _ counts: [(magnitude: Double, count: Int)]
  ) -> MagnitudeDistribution {
    var distribution = MagnitudeDistribution()
    for (magnitude, count) in counts {
      for _ in 0..<count { distribution.add(magnitude) }
    }
    return distribution
  }

  @Test("The completeness is the most frequent magnitude plus 0.2")
  func completeness() {
    #expect(distribution(Self.counts).completeness == 14)
    // The highest of several.
    #expect(distribution([(2.0, 7), (2.3, 7), (3.0, 1)]).completeness == 25)
    #expect(MagnitudeDistribution().completeness == nil)
  }

  @Test("The law's slope, constant and error are the maximum likelihood estimates")
  func law() throws {
    let law = try #require(distribution(Self.counts).law)
    #expect(law.completeness == 14 && law.count == 65)
    #expect(abs(law.b - 3.2261875798527284) < 1e-9)
    #expect(abs(law.a - 6.329575968436675) < 1e-9)
    #expect(abs(law.error - 0.28410794133498235) < 1e-9)
  }

  @Test("Earthquakes that follow a law give its slope back")
  func recovered() throws {
    for slope in [0.7, 1.0, 1.3] {
      // The numbers of earthquakes of at least a magnitude fall by the law; those of a bin are differences.
      let counts = (20..<70).map { tenths in
        let (from, to) = (Double(tenths - 20) / 10, Double(tenths - 19) / 10)
        return (
          magnitude: Double(tenths) / 10,
          count: Int((1e5 * (pow(10, -slope * from) - pow(10, -slope * to))).rounded())
        )
      }
      let law = try #require(distribution(counts).law)
      #expect(law.completeness == 22)
      #expect(abs(law.b - slope) < 0.01 + 3 * law.error, "\(slope): \(law)")
    }
  }

  @Test("There is no law from few earthquakes, or from those of one magnitude")
  func noLaw() {
    #expect(distribution([(1.0, 60), (1.2, 48), (1.3, 1)]).law == nil)
    #expect(distribution([(1.0, 60), (1.2, 48), (1.3, 2)]).law != nil)
    #expect(distribution([(1.0, 600), (1.2, 500)]).law == nil)
  }

  @Test("Magnitudes are rounded to tenths, halves up, and absurd ones aren't counted")
  func bins() {
    var distribution = MagnitudeDistribution()
    for magnitude in [2.64, 2.65, 2.74, -0.05, -0.06, -1.0, 0] {
      let isCounted = distribution.add(magnitude)
      #expect(isCounted, "\(magnitude)")
    }
    #expect(distribution.counts == [26: 1, 27: 2, 0: 2, -1: 1, -10: 1])
    for magnitude in [12.1, -5.1, 1e300, -1e300, .infinity, .nan] {
      let isCounted = distribution.add(magnitude)
      #expect(!isCounted, "\(magnitude)")
    }
    #expect(distribution.count == 7)
    #expect(distribution.bins.map(\.tenths) == [-10, -1, 0, 26, 27])
  }
}

@Suite("Seismic moments")
struct SeismicMomentTests {
  @Test("They follow the relation of Hanks and Kanamori, and back")
  func moments() throws {
    #expect(abs(SeismicMoment.moment(ofMagnitude: 5) / 3.5481338923357604e16 - 1) < 1e-12)
    for magnitude in [-1, 0, 4.5, 9.5] {
      let back = SeismicMoment.magnitude(
        ofMoment: SeismicMoment.moment(ofMagnitude: magnitude))
      #expect(abs(try #require(back) - magnitude) < 1e-9)
    }
    #expect(SeismicMoment.magnitude(ofMoment: 0) == nil)
  }
}
