import SwiftDataCore
import Testing

@testable import SwiftDataSQL

@Suite("Conversions between the types of values")
struct ValueConversionTests {
  private let dialect = SQLiteDialect()

  private func column(_ kind: ColumnKind, _ type: String) -> ColumnDescription {
    ColumnDescription(
      name: "c", kind: kind, type: type, isOptional: false, members: [], definition: "", check: nil)
  }

  @Test("wider types take every value as it is")
  func wider() throws {
    let pairs: [(ColumnKind, String, ColumnKind, String)] = [
      (.integer, "Int8", .integer, "Int64"), (.integer, "Int16", .integer, "Int"),
      (.boolean, "Bool", .integer, "Int8"), (.real, "Float", .real, "Double"),
      (.integer, "UInt32", .unsigned, "UInt64"), (.url, "URL", .text, "String"),
    ]
    for (oldKind, old, newKind, new) in pairs {
      let conversion = try #require(
        ValueConversion(from: column(oldKind, old), to: column(newKind, new), dialect: dialect))
      #expect(conversion.isIdentity, "\(old) to \(new)")
      #expect(!conversion.needsDecoding && conversion.failure == nil, "\(old) to \(new)")
    }
  }

  @Test("narrower types, and ones of the program, are decoded value by value")
  func narrower() throws {
    let pairs: [(ColumnKind, String, ColumnKind, String)] = [
      (.integer, "Int64", .integer, "Int8"), (.real, "Double", .real, "Float"),
      (.integer, "Int", .unsigned, "UInt64"), (.integer, "Int", .boolean, "Bool"),
      (.text, "String", .text, "Colour"), (.json, "Array<Int>", .json, "Array<String>"),
    ]
    for (oldKind, old, newKind, new) in pairs {
      let conversion = try #require(
        ValueConversion(from: column(oldKind, old), to: column(newKind, new), dialect: dialect))
      #expect(conversion.needsDecoding, "\(old) to \(new)")
    }
  }

  @Test("between numbers and texts, with a condition for values without an equivalent")
  func conditions() throws {
    let real = try #require(
      ValueConversion(from: column(.integer, "Int"), to: column(.real, "Double"), dialect: dialect))
    #expect(real.expression("x") == "CAST(x AS REAL)")
    #expect(real.failure?("x").contains("CAST(CAST(x AS REAL) AS INTEGER) <> x") == true)
    let whole = try #require(
      ValueConversion(from: column(.real, "Double"), to: column(.integer, "Int"), dialect: dialect))
    #expect(whole.expression("x") == "CAST(x AS INTEGER)")
    #expect(whole.failure?("x").contains("CAST(x AS INTEGER) <> x") == true)
  }

  /// The largest integer behind which a real number leaves integers out.
  private static let exact: Int64 = 1 << 53
  private static let integers: [Int64] = [
    0, 1, -1, exact, exact + 1, -exact - 1, exact + 2, Int64.max, Int64.max - 1, Int64.max - 1023,
    Int64.min, Int64.min + 1,
  ]

  @Test(
    "of an integer to a real is refused exactly when the real is another number",
    arguments: integers)
  func largeIntegers(number: Int64) throws {
    let conversion = try #require(
      ValueConversion(from: column(.integer, "Int"), to: column(.real, "Double"), dialect: dialect))
    let failure = try #require(conversion.failure?("x"))
    let found = try SQLiteDatabase().rows(
      "SELECT \(failure) FROM (SELECT ? AS x)", [.integer(number)])
    #expect(found == [[Int64(exactly: Double(number)) == number ? "0" : "1"]])
  }

  @Test("every truth value is a number, and every UUID a text")
  func total() throws {
    let number = try #require(
      ValueConversion(from: column(.boolean, "Bool"), to: column(.real, "Double"), dialect: dialect)
    )
    #expect(number.expression("x") == "CAST(x AS REAL)")
    #expect(number.failure == nil && !number.needsDecoding)
    let text = try #require(
      ValueConversion(from: column(.uuid, "UUID"), to: column(.text, "String"), dialect: dialect))
    #expect(text.expression("x").hasPrefix("CASE WHEN x IS NOT NULL THEN "))
    #expect(text.failure == nil && !text.needsDecoding)
  }

  @Test("types without an equivalent aren't converted")
  func none() {
    #expect(
      ValueConversion(from: column(.text, "String"), to: column(.date, "Date"), dialect: dialect)
        == nil)
    #expect(
      ValueConversion(from: column(.real, "Double"), to: column(.date, "Date"), dialect: dialect)
        == nil)
    #expect(
      ValueConversion(from: column(.json, "Thing"), to: column(.integer, "Int"), dialect: dialect)
        == nil)
    #expect(
      ValueConversion(from: column(.data, "Data"), to: column(.text, "String"), dialect: dialect)
        == nil)
  }

  @Test("literals represent every value")
  func literals() {
    func literal(_ value: SQLValue) -> String { dialect.literal(value, of: .json) }
    #expect(literal(.null) == "NULL")
    #expect(literal(.integer(-5)) == "-5")
    #expect(literal(.integer(.min)) == "(-9223372036854775807 - 1)")
    #expect(literal(.real(0.1)) == "0.1")
    #expect(literal(.real(.infinity)) == "9e999")
    #expect(literal(.text("it's")) == "'it''s'")
    #expect(literal(.text("a\0b")) == "CAST(X'610062' AS TEXT)")
    #expect(literal(.blob([0, 255])) == "X'00FF'")
  }
}
