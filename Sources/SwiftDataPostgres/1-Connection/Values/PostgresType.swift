import SwiftDataCore

/// A type of PostgreSQL, by its number in `pg_type`, which is the same in every database for the built-in types.
package struct PostgresType: Hashable, Sendable {
  package let number: UInt32

  package init(_ number: UInt32) { self.number = number }

  /// The type of a parameter that the server infers.
  package static let unspecified = PostgresType(0)
  package static let boolean = PostgresType(16)
  package static let data = PostgresType(17)
  package static let integer = PostgresType(20)
  package static let integer16 = PostgresType(21)
  package static let integer32 = PostgresType(23)
  package static let text = PostgresType(25)
  package static let real32 = PostgresType(700)
  package static let real = PostgresType(701)
  package static let day = PostgresType(1082)
  package static let timestamp = PostgresType(1114)
  package static let timestampWithTimeZone = PostgresType(1184)
  package static let variableText = PostgresType(1043)
  package static let numeric = PostgresType(1700)
  package static let uuid = PostgresType(2950)

  /// Whether statements of others can select values of the type: those whose binary form is read as it is.
  var isReadable: Bool { Self.readable.contains(self) }

  /// The types of models, the texts `"char"`, `name`, `json`, `unknown` and `character`, and times.
  private static let readable: Set<PostgresType> = Set(
    [
      .boolean, .data, .integer, .integer16, .integer32, .text, .real32, .real, .variableText,
      .numeric, .uuid, .day, .timestamp, .timestampWithTimeZone,
    ] + [18, 19, 114, 705, 1042].map { PostgresType($0) })

  /// The type of lists of a type; nil for a type that isn't listed here.
  package var list: PostgresType? { Self.lists[self] }

  /// The type of the values in lists of a type; nil for a type that has no lists, or isn't listed here.
  package var element: PostgresType? { Self.elements[self] }

  private static let elements = Dictionary(uniqueKeysWithValues: lists.map { ($1, $0) })

  private static let lists: [PostgresType: PostgresType] = [
    .boolean: PostgresType(1000), .data: PostgresType(1001), .integer16: PostgresType(1005),
    .integer32: PostgresType(1007), .text: PostgresType(1009), .variableText: PostgresType(1015),
    .integer: PostgresType(1016), .real32: PostgresType(1021), .real: PostgresType(1022),
    .numeric: PostgresType(1231), .uuid: PostgresType(2951),
  ]

  /// The type of the column that stores a kind.
  package init(_ kind: ColumnKind) {
    switch kind {
    case .boolean, .presence: self = .boolean
    case .integer, .reference: self = .integer
    case .unsigned, .decimal: self = .numeric
    case .real, .date: self = .real
    case .text, .url, .json: self = .text
    case .data: self = .data
    case .uuid: self = .uuid
    }
  }

  /// The name in SQL.
  package var name: String {
    switch self {
    case .boolean: "boolean"
    case .data: "bytea"
    case .integer: "bigint"
    case .integer16: "smallint"
    case .integer32: "integer"
    case .real32: "real"
    case .real: "double precision"
    case .numeric: "numeric"
    case .uuid: "uuid"
    default: "text"
    }
  }
}
