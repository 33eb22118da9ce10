import Foundation
import TestSupport

/// Rows with error-prone values: nil, NaN, both zeros, infinities, empty texts, different Unicode
/// normal forms.
enum Samples {
  static let texts = [
    "", "a", "A", "ab", "abc", "ABC", "b", "K", "\u{212A}", "a;b", "a\u{37E}b", "é", "e\u{301}",
    "e",
    "éa", "e\u{301}\u{323}", "e\u{323}\u{301}", "ẹ\u{301}", "a\u{301}b", "ab\u{301}", "a\r\nb",
    "a\r",
    "ß", "SS", "ñandú", "Nandu", "\u{1F469}\u{200D}\u{1F467}", "\u{1F469}", "10", "9", "2",
    "item 10",
    "item 9", "4 km NW of The Geysers, CA", "10 km E of Kilauea", "a`b", "a\u{1FEF}b", "Å",
    "\u{212B}",
    "%_", "_", "'\"", "한", "\u{1112}\u{1161}\u{11AB}", "z", "Z", "\u{0}", "a\u{0}b",
  ]
  static let reals: [Double] = [
    0, -0.0, 1, -1, 2.5, 4.5, 5, .nan, .infinity, -.infinity, 1e300, 0.1, .leastNonzeroMagnitude,
  ]
  static let integers = [0, 1, -1, 2, 3, 5, 7, 10, 100, -100, Int.max, Int.min]

  static func specimens() -> [Specimen] {
    var generator = SeededGenerator(seed: 7)
    let grandparent = owner("é", nil, parent: nil)
    let owners = [
      owner("Ann", 30, parent: grandparent), owner("Bob", nil, parent: nil),
      owner("ab", 5, parent: nil), nil, nil,
    ]
    return (0..<160).map { specimen($0, owners, using: &generator) }
  }

  private static func owner(_ name: String, _ age: Int?, parent: Owner?) -> Owner {
    let owner = Owner()
    owner.name = name
    owner.age = age
    owner.parent = parent
    owner.home.name = name
    return owner
  }

  private static func specimen(
    _ number: Int, _ owners: [Owner?], using generator: inout SeededGenerator
  ) -> Specimen {
    let specimen = Specimen()
    specimen.code = "c\(number)"
    specimen.name = texts[number % texts.count]
    specimen.note = generator.sometimes(texts)
    specimen.count = generator.one(of: integers)
    specimen.rank = generator.sometimes(integers)
    specimen.small = generator.one(of: [0, 1, -1, 3, 5])
    specimen.big = generator.one(of: [0, 1, 5, UInt64(Int64.max), .max, UInt64(Int64.max) + 1])
    specimen.size = reals[number % reals.count]
    specimen.depth = generator.sometimes(reals)
    specimen.ratio = Float(generator.one(of: reals))
    specimen.date = Date(timeIntervalSinceReferenceDate: generator.one(of: reals))
    specimen.updated = generator.sometimes(reals).map(Date.init(timeIntervalSinceReferenceDate:))
    specimen.isOpen = generator.one(of: [true, false])
    specimen.isFelt = generator.sometimes([true, false])
    specimen.kind = generator.one(of: Kind.allCases)
    specimen.alert = generator.sometimes(Kind.allCases)
    specimen.level = generator.one(of: Level.allCases)
    specimen.plain = generator.one(of: Plain.allCases)
    specimen.payload = generator.one(of: [Payload.none, .number(0), .number(-0.0), .number(2)])
    specimen.tag = Tag(rawValue: generator.one(of: texts))
    specimen.place = place(using: &generator)
    specimen.origin = generator.sometimes([1]).map { _ in place(using: &generator) }
    specimen.data = Data(generator.one(of: [[], [0], [1, 2], [255]]))
    specimen.key = uuid(generator.one(of: [0, 1, 127, 128, 255]))
    specimen.link = generator.sometimes(["http://a/b", "http://a/c?d=é"]).flatMap(URL.init(string:))
    specimen.price = Decimal(string: generator.one(of: ["0", "1", "-1", "0.5", "10", "1e20"])) ?? 0
    specimen.words = generator.one(of: [
      [], ["a"], ["a", "é"], ["e\u{301}", "a\"b"], ["a\u{0}b", "K"], ["\u{212A}", "\\", "/"],
      ["a b", ",", ""],
    ])
    specimen.numbers = generator.one(of: [[], [1], [-1, 0, 7], [.max, .min], [5, 5, 100]])
    specimen.owner = owners[number % owners.count]
    return specimen
  }

  private static func place(using generator: inout SeededGenerator) -> Place {
    Place(
      name: generator.one(of: texts), note: generator.sometimes(texts),
      depth: generator.sometimes(reals),
      point: .init(latitude: generator.one(of: reals), longitude: generator.sometimes(reals)),
      isNear: generator.one(of: [true, false]))
  }

  static func uuid(_ byte: UInt8) -> UUID {
    UUID(uuid: (byte, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, byte))
  }
}

extension SeededGenerator {
  /// Returns an element of the list, or nil one time in four.
  mutating func sometimes<Element>(_ list: [Element]) -> Element? {
    Int.random(in: 0..<4, using: &self) == 0 ? nil : one(of: list)
  }
}
