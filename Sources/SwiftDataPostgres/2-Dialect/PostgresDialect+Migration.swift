import Foundation
import SwiftDataCore
import SwiftDataSQL

extension PostgresDialect {
  package func literal(_ value: SQLValue, of kind: ColumnKind) -> String {
    let type = PostgresType(kind)
    switch value {
    case .null: return "NULL"
    case .integer(let integer):
      if type == .boolean { return truth(integer != 0) }
      return "'\(integer)'::\(type.name)"
    case .real(let real): return "'\(real)'::\(type.name)"
    case .text(let text): return "\(SQLIdentifier.literal(text))::\(type.name)"
    case .blob(let bytes):
      if kind == .unsigned, bytes.count == 8 {
        return "'\(bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })'::numeric"
      }
      let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
      return kind == .uuid && bytes.count == 16 ? "'\(digits)'::uuid" : "'\\x\(digits)'::bytea"
    }
  }

  package func null(like definition: String) -> String {
    let type = [" NOT NULL", " COLLATE \"C\""].reduce(definition) {
      $0.replacingOccurrences(of: $1, with: "")
    }
    return "NULL::\(type)"
  }

  package func conversion(from old: ColumnKind, to new: ColumnKind) -> SQLConversion? {
    if old == new { return SQLConversion() }
    switch (old, new) {
    case (.url, .text), (.text, .url): return SQLConversion()
    case (.boolean, .integer): return SQLConversion { "\($0)::integer::bigint" }
    case (.boolean, .unsigned): return SQLConversion { "\($0)::integer::numeric" }
    case (.boolean, .real): return SQLConversion { "\($0)::integer::double precision" }
    case (.integer, .boolean), (.unsigned, .boolean): return SQLConversion { "\($0) <> 0" }
    case (.integer, .unsigned):
      return SQLConversion(failure: { "\($0) < 0" }) { "\($0)::numeric" }
    case (.unsigned, .integer):
      return cast(to: .integer, failure: { "\($0) > 9223372036854775807" }) { "\($0)::bigint" }
    case (.integer, .real), (.unsigned, .real):
      // A double holds every integer of 53 bits, and some larger ones.
      return SQLConversion(
        failure: { value in
          "(\(Self.integer(ofReal: "\(value)::double precision"))) IS DISTINCT FROM \(value)::numeric"
        }
      ) { "\($0)::double precision" }
    case (.real, .integer): return whole(-0x1p63, 0x1p63, .integer) { "\($0)::bigint" }
    case (.real, .unsigned): return whole(0, 0x1p64, .unsigned) { Self.integer(ofReal: $0) }
    case (.integer, .decimal), (.unsigned, .decimal): return SQLConversion { "\($0)::numeric" }
    case (.integer, .text), (.unsigned, .text): return SQLConversion { "\($0)::text" }
    case (.decimal, .integer):
      return cast(
        to: .integer,
        failure: {
          "\($0) NOT BETWEEN -9223372036854775808 AND 9223372036854775807 OR trunc(\($0)) <> \($0)"
        }
      ) { "\($0)::bigint" }
    case (.decimal, .unsigned):
      return SQLConversion(
        failure: { "\($0) NOT BETWEEN 0 AND 18446744073709551615 OR trunc(\($0)) <> \($0)" }
      ) { "trunc(\($0))" }
    case (.text, .integer):
      return cast(to: .integer, failure: { "\($0) !~ '^-?[1-9][0-9]{0,17}$|^0$'" }) {
        "\($0)::bigint"
      }
    case (.text, .unsigned):
      return cast(to: .unsigned, failure: { "\($0) !~ '^[1-9][0-9]{0,18}$|^0$'" }) {
        "\($0)::numeric"
      }
    case (.uuid, .text): return SQLConversion { "upper(\($0)::text)" }
    default: return nil
    }
  }

  /// The conversion of reals without a fraction in a range.
  private func whole(
    _ least: Double, _ end: Double, _ kind: ColumnKind,
    _ expression: @escaping @Sendable (String) -> String
  ) -> SQLConversion {
    cast(
      to: kind,
      failure: { value in
        "NOT (\(value) >= \(Self.literal(least)) AND \(value) < \(Self.literal(end))"
          + " AND trunc(\(value)) = \(value))"
      }, expression)
  }

  /// A conversion to integers by a cast that fails for some values. Other checks compute the new values of all rows, so
  /// that a row without one must not end their statements: there it has the largest integer, which no real is.
  ///
  /// - Parameters:
  ///   - kind: The kind of the integers.
  ///   - failure: The condition for the values that can't be cast.
  private func cast(
    to kind: ColumnKind, failure: @escaping @Sendable (String) -> String,
    _ expression: @escaping @Sendable (String) -> String
  ) -> SQLConversion {
    let other =
      kind == .unsigned ? "18446744073709551615::numeric" : "9223372036854775807::bigint"
    return SQLConversion(failure: failure) {
      "CASE WHEN \(failure($0)) THEN \(other) ELSE \(expression($0)) END"
    }
  }

  /// The integer that a real without a fraction is, as a number; NULL for reals outside of -2⁶³ ..< 2⁶⁴. The server's
  /// own cast of reals to numbers keeps 15 digits, that to integers all.
  private static func integer(ofReal real: String) -> String {
    let (least, half, end) = (literal(-0x1p63), literal(0x1p63), literal(0x1p64))
    return "CASE WHEN \(real) >= \(least) AND \(real) < \(half) THEN \(real)::bigint::numeric"
      + " WHEN \(real) >= \(half) AND \(real) < \(end)"
      + " THEN (\(real) - \(half))::bigint::numeric + 9223372036854775808 END"
  }

  private static func literal(_ real: Double) -> String { "'\(real)'::double precision" }
}
