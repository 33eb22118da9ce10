import Foundation
import SwiftDataCore
import SwiftDataSQL
import Testing

@Suite("Arithmetic")
struct ArithmeticTests {
  let laboratory: Laboratory

  init() throws {
    // Without the extremes, at which Swift's integers trap.
    let specimens = Samples.specimens()
    for specimen in specimens {
      specimen.count = max(-1000, min(1000, specimen.count))
      specimen.rank = specimen.rank.map { max(-1000, min(1000, $0)) }
    }
    laboratory = try Laboratory(specimens)
  }

  @Test func integers() throws {
    for number in [1, 2, 3, -3, 100] {
      try laboratory.check(#Predicate { $0.count + 1 > number })
      try laboratory.check(#Predicate { $0.count * 2 == number * 2 })
      try laboratory.check(#Predicate { $0.count - number < 0 })
      try laboratory.check(#Predicate { $0.count / number == 1 })
      try laboratory.check(#Predicate { $0.count % number == -1 })
      try laboratory.check(#Predicate { -$0.count > number })
      try laboratory.check(#Predicate { $0.count > -number })
      try laboratory.check(#Predicate { ($0.rank ?? 0) + $0.count >= number })
    }
  }

  @Test func realsKeepNaNAndInfinity() throws {
    for number in Samples.reals {
      try laboratory.check(#Predicate { $0.size + number > 1 })
      try laboratory.check(#Predicate { $0.size - number == 0 })
      try laboratory.check(#Predicate { $0.size * $0.place.point.latitude <= number })
      try laboratory.check(#Predicate { $0.size + $0.place.point.latitude != number })
      try laboratory.check(#Predicate { -$0.size < number })
      let isExact = !(number.isZero || number.isNaN)
      try laboratory.check(#Predicate { $0.size / number > 1 }, isExact: isExact)
    }
  }

  @Test func whatTrapsInSwiftHasAnAnswerInSQL() throws {
    let specimen = Specimen()
    specimen.count = .max
    specimen.small = 127
    let laboratory = try Laboratory([specimen])
    let one = 1
    let zero = 0
    func count(_ predicate: Predicate<Specimen>) throws -> Int {
      try laboratory.rowIDs(laboratory.translator.translate(predicate)).count
    }
    #expect(try count(#Predicate { $0.count + one > 0 }) == 1)
    #expect(try count(#Predicate { $0.small + 1 > 127 - 1 }) == 1)
    #expect(try count(#Predicate { $0.count / zero == 0 }) == 1)
    #expect(try count(#Predicate { !($0.count % zero == 1) }) == 1)
  }

  @Test func singlePrecisionIsLeftToMemory() throws {
    let tenth = Float(0.1)
    try laboratory.check(#Predicate { $0.ratio + tenth > 1 }, isExact: false)
  }
}
