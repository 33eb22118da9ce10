import Foundation
import SwiftDataCore
import SwiftDataSQL
import Testing

@Suite("Arithmetic")
struct ArithmeticTests {
  let laboratory: Laboratory

  init() throws {
    // Without the extreme values, at which Swift's integers trap.
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

  @Test func expressionsWithoutAResultAreErrorsInBoth() throws {
    let specimen = Specimen()
    specimen.count = .max
    specimen.rank = .min
    specimen.small = 127
    let laboratory = try Laboratory([specimen])
    let one = 1
    let small: Int8 = 1
    let zero = 0
    let minusOne = -1
    func expectFailure(_ predicate: Predicate<Specimen>) throws {
      let translated = try laboratory.translator.translate(LoweredPredicate(predicate))
      #expect(translated.isExact, "\(translated.reasons)")
      #expect(throws: SQLiteFailure.self) { try laboratory.rowIDs(translated) }
      #expect(throws: SwiftDataError.unsupportedPredicate) {
        try PredicateEvaluation(predicate)(specimen)
      }
    }
    try expectFailure(#Predicate { $0.count + one > 0 })
    try expectFailure(#Predicate { $0.count * 2 > one })
    try expectFailure(#Predicate { ($0.rank ?? 0) - one < 0 })
    try expectFailure(#Predicate { -($0.rank ?? 0) < 0 })
    try expectFailure(#Predicate { $0.small + small > 0 })
    try expectFailure(#Predicate { $0.count / zero == 0 })
    try expectFailure(#Predicate { $0.count % zero == 0 })
    try expectFailure(#Predicate { ($0.rank ?? 0) / minusOne == 0 })
    try expectFailure(#Predicate { ($0.rank ?? 0) % minusOne == 0 })
    try expectFailure(#Predicate { !($0.count + one > 0) || $0.isOpen })
  }

  @Test func quotientsOfCapturedValuesAreConstants() throws {
    for number in [1, 2, 3, -3, 100] {
      let (total, real) = (7, Double(number))
      try laboratory.check(#Predicate { $0.count > total / number })
      try laboratory.check(#Predicate { $0.count % 3 == total % number })
      try laboratory.check(#Predicate { $0.count == 1 + total / number * 2 })
      try laboratory.check(#Predicate { $0.size < real / 4 })
      try laboratory.check(#Predicate { $0.count > total / number || $0.size > real / 3 })
    }
    for divisor in [0, -0.0, .infinity, .nan] {
      let one = 1.0
      try laboratory.check(#Predicate { $0.size < one / divisor })
      try laboratory.check(#Predicate { $0.size != one / divisor })
    }
  }

  @Test func quotientsWithoutAResultAreErrorsOfSwift() throws {
    let (least, zero, minusOne) = (Int.min, 0, -1)
    func expectMemory(_ predicate: Predicate<Specimen>) throws {
      let translated = try laboratory.translator.translate(LoweredPredicate(predicate))
      #expect(!translated.isExact && "\(translated.reasons)".contains("has no result"))
    }
    try expectMemory(#Predicate { $0.count > least / zero })
    try expectMemory(#Predicate { $0.count > least % zero })
    try expectMemory(#Predicate { $0.count > least / minusOne })
  }

  @Test func unevaluatedOperandsDoNotFail() throws {
    let laboratory = try Laboratory()
    let ten = 10
    let limit = 1000
    try laboratory.check(#Predicate { $0.count != 0 && ten / $0.count > 1 })
    try laboratory.check(#Predicate { $0.count == 0 || ten % $0.count == 1 })
    try laboratory.check(
      #Predicate { $0.isOpen && $0.count < limit && $0.count > -1000 && $0.count + ten > 12 })
    try laboratory.check(
      #Predicate { $0.count > limit || $0.count < -1000 ? $0.isOpen : $0.count * ten > 20 })
    try laboratory.check(
      #Predicate { ($0.rank ?? 1) != 0 && ($0.rank.flatMap { ten / $0 } ?? 3) == 3 })
    try laboratory.check(
      #Predicate { if let rank = $0.rank { rank == 0 || ten / rank > 1 } else { $0.isOpen } })
    try laboratory.check(
      #Predicate { one in one.numbers.contains { $0 != 0 && ten / $0 == 2 } }, isExact: false)
  }

  @Test func singlePrecisionIsLeftToMemory() throws {
    let tenth = Float(0.1)
    try laboratory.check(#Predicate { $0.ratio + tenth > 1 }, isExact: false)
  }
}
