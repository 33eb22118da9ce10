import Foundation

/// A function of texts for a store's SQL.
package struct StringFunction: Sendable {
  package enum Result: Sendable, Equatable {
    case integer(Int64)
    case text(String)
  }

  /// The name in SQL.
  package let name: String
  package let argumentCount: Int
  /// The body. It is never called with nil: a NULL argument makes the result NULL. It takes ``argumentCount`` texts.
  package let body: @Sendable ([String]) -> Result
}

/// An order of texts for a store's SQL.
package struct StringCollation: Sendable {
  /// UTF-8, as a database stores it.
  package typealias Bytes = UnsafeBufferPointer<UInt8>

  package let name: String
  package let compare: @Sendable (String, String) -> ComparisonResult
  /// Compares ASCII texts in the same order, without making strings of them; nil where one of them isn't ASCII.
  package let compareASCII: @Sendable (Bytes, Bytes) -> ComparisonResult?

  init(
    _ name: String,
    ascii: @escaping @Sendable (Bytes, Bytes) -> ComparisonResult? = { _, _ in nil },
    _ compare: @escaping @Sendable (String, String) -> ComparisonResult
  ) {
    self.name = name
    self.compare = compare
    compareASCII = ascii
  }

  /// Compares two texts in UTF-8.
  package func compare(_ lhs: Bytes, _ rhs: Bytes) -> ComparisonResult {
    if let result = compareASCII(lhs, rhs) { return result }
    return compare(String(decoding: lhs, as: UTF8.self), String(decoding: rhs, as: UTF8.self))
  }
}

/// The functions that the SQL of predicates and sorts needs in addition to SQLite's own. A connection registers all of
/// them, as deterministic functions that return NULL for NULL.
package enum StringFunctions {
  package static let all: [StringFunction] = [
    test("osd_contains") { PortableString.contains($0, $1) },
    test("osd_starts_with") { PortableString.starts($0, with: $1) },
    test("osd_equal") { $0 == $1 },
    test("osd_less") { $0 < $1 },
    test("osd_localized_contains") { PortableString.localizedStandardContains($0, $1) },
    test("osd_list_contains") { StoredTexts.contains($0, $1) },
    order("osd_case_insensitive_compare") { PortableString.caseInsensitiveCompare($0, $1) },
    order("osd_localized_compare") { PortableString.localizedCompare($0, $1) },
    order("osd_localized_standard_compare") { localizedStandardCompare($0, $1) },
    StringFunction(name: "osd_search_key", argumentCount: 1) {
      .text(PortableString.searchKey($0[0]))
    },
    StringFunction(name: "osd_lower", argumentCount: 1) { .text($0[0].lowercased()) },
    StringFunction(name: "osd_upper", argumentCount: 1) { .text($0[0].uppercased()) },
    StringFunction(name: "osd_character_count", argumentCount: 1) { .integer(Int64($0[0].count)) },
  ]

  package static let collations: [StringCollation] = [
    StringCollation("OSD_UNICODE", ascii: { PortableString.asciiCompare($0, $1) }) {
      PortableString.scalarCompare($0, $1)
    },
    StringCollation(
      "OSD_LOCALIZED", ascii: { LocalizedOrder.compareASCII($0, $1, numeric: true) }
    ) { localizedStandardCompare($0, $1) },
    StringCollation(
      "OSD_LOCALIZED_PLAIN", ascii: { LocalizedOrder.compareASCII($0, $1, numeric: false) }
    ) { PortableString.localizedCompare($0, $1) },
    StringCollation("OSD_DECIMAL") { DecimalOrder.compare($0, $1) },
  ]

  private static func test(
    _ name: String, _ body: @escaping @Sendable (String, String) -> Bool
  ) -> StringFunction {
    StringFunction(name: name, argumentCount: 2) { .integer(body($0[0], $0[1]) ? 1 : 0) }
  }

  private static func order(
    _ name: String, _ body: @escaping @Sendable (String, String) -> ComparisonResult
  ) -> StringFunction {
    StringFunction(name: name, argumentCount: 2) { .integer(Int64(body($0[0], $0[1]).rawValue)) }
  }
}

/// The order of decimal numbers stored as texts.
package enum DecimalOrder {
  package static func compare(_ lhs: String, _ rhs: String) -> ComparisonResult {
    if lhs == rhs { return .orderedSame }
    let left = Decimal(string: lhs) ?? .nan
    let right = Decimal(string: rhs) ?? .nan
    // NaN is less than every number and equal to itself, as `Decimal` has it.
    switch (left.isNaN, right.isNaN) {
    case (true, true): return .orderedSame
    case (true, false): return .orderedAscending
    case (false, true): return .orderedDescending
    case (false, false):
      return left < right ? .orderedAscending : left == right ? .orderedSame : .orderedDescending
    }
  }
}

/// Lists of texts stored as JSON.
package enum StoredTexts {
  /// Whether `text` is an element of the JSON array `list`; false if `list` isn't a list of texts.
  package static func contains(_ list: String, _ text: String) -> Bool {
    do {
      return try JSONColumn.decode([String].self, from: Data(list.utf8)).contains(text)
    } catch {
      return false  // A row that doesn't fit its model is reported when it is read.
    }
  }
}
