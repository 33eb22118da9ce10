import Foundation
import StoreTesting

/// A reproducible sequence of choices, and error-prone values: nil, NaN, both zeros, infinities, empty
/// texts, different Unicode normal forms.
struct Choice: RandomNumberGenerator {
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func next() -> UInt64 { random.next() }

  mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }

  mutating func one<Element>(of list: [Element]) -> Element { list[number(list.count)] }

  mutating func maybe<Element>(_ value: (inout Choice) -> Element) -> Element? {
    number(4) == 0 ? nil : value(&self)
  }

  mutating func some<Element>(of list: [Element], most: Int) -> [Element] {
    (0..<number(most + 1)).map { _ in one(of: list) }
  }

  static let texts = [
    "", "a", "A", "ab", "abc", "K", "\u{212A}", "a;b", "é", "e\u{301}", "e", "éa", "ẹ\u{301}",
    "a\u{301}b", "a\r\nb", "ß", "SS", "\u{1F469}\u{200D}\u{1F467}", "10", "9", "item 10", "item 9",
    "%_", "'\"", "\\", "z", "Z", "\u{1112}\u{1161}\u{11AB}", "한",
    // No text in PostgreSQL has this character.
    StoreKind.tested == .postgresql ? "a b" : "a\u{0}b",
  ]
  static let reals: [Double] = [
    0, -0.0, 1, -1, 2.5, 5, .nan, .infinity, -.infinity, 1e300, 0.1, .leastNonzeroMagnitude,
  ]
  static let integers = [0, 1, -1, 2, 3, 5, 7, 10, -100, Int.max, Int.min]

  mutating func text() -> String { one(of: Self.texts) }
  mutating func real() -> Double { one(of: Self.reals) }
  mutating func truth() -> Bool { number(2) == 0 }
  mutating func date() -> Date { Date(timeIntervalSinceReferenceDate: real()) }
  mutating func diet() -> Diet { one(of: Diet.allCases) }
  mutating func data() -> Data { Data(one(of: [[], [0], [1, 2], [255]] as [[UInt8]])) }
  mutating func float() -> Float { Float(real()) }
  mutating func price() -> Decimal {
    one(of: [0, 1, -1, Decimal(string: "0.5") ?? 0, Decimal(string: "1e20") ?? 0])
  }
  mutating func big() -> UInt64 {
    one(of: [0, 1, 5, UInt64(Int64.max), UInt64(Int64.max) + 1, .max])
  }
  mutating func small() -> Int8 { one(of: [0, 1, -1, 3, .max, .min]) }

  /// Returns mostly numbers that can be added and multiplied.
  mutating func integer() -> Int {
    number(8) == 0 ? one(of: Self.integers) : number(14) - 3
  }

  mutating func key() -> UUID {
    let byte = one(of: [0, 1, 127, 128, 255] as [UInt8])
    return UUID(uuid: (byte, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, byte))
  }
}
