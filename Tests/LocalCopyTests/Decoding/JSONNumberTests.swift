import Testing

@testable import LocalCopy

@Suite("Numbers of JSON")
struct JSONNumberTests {
  private func double(_ text: String) -> Double? {
    Array(text.utf8).withUnsafeBufferPointer { JSONNumber.double($0) }
  }

  @Test("of any digits are the nearest doubles", arguments: [UInt64(1), 2, 3])
  func nearest(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20_000 {
      let digits = (0..<Int.random(in: 15...20, using: &random))
        .map { _ in String(Int.random(in: 0...9, using: &random)) }.joined()
      let point = Int.random(in: 1..<digits.count, using: &random)
      let text =
        (Bool.random(using: &random) ? "-" : "")
        + (digits.prefix(point).drop { $0 == "0" }.isEmpty
          ? "0" : String(digits.prefix(point).drop { $0 == "0" }))
        + "." + digits.dropFirst(point)
      #expect(double(text) == Double(text), "\(text)")
    }
  }

  @Test("beside and on the middle of two doubles are rounded to the right one")
  func middles() {
    // Above 2^53 every other integer is a double, above 2^54 every fourth, and so on.
    for shift in UInt64(0)..<10 {
      for step in UInt64(0)..<200 {
        let middle = (1 << (53 + shift)) + (2 * step + 1) << shift
        for number in [middle - 1, middle, middle + 1] {
          #expect(double("\(number)") == Double("\(number)"))
          #expect(double("\(number).0") == Double("\(number)"))
          let text = "\(number / 1_000).\(String(1_000 + number % 1_000).dropFirst())"
          #expect(double(text) == Double(text), "\(text)")
        }
      }
    }
    // Halfway between two doubles, except for the last of many digits.
    for text in ["9007199254740993.000", "9007199254740992.999", "9007199254740993.001"] {
      #expect(double(text) == Double(text))
    }
  }
}
