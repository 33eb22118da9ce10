import SwiftDataCore
import SwiftDataSQL

/// Values that no other row has. Unique columns get them before rows exchange their values, because the server checks
/// each row when it is written.
enum UniquePlaceholders {
  /// A number that no row has. A link can lead to it until the end of the transaction, when keys are checked.
  static let noRow = "(random() * -9e18)::bigint"

  /// The assignments to the unique columns among some columns of an entity. A truth value that can't be nil has no
  /// placeholder.
  static func assignments(_ plan: EntityPlan, columns: [Int]) -> [String] {
    let changed = Set(columns)
    return Set(plan.uniqueness.joined()).sorted().filter { changed.contains($0) }
      .compactMap { position in
        value(of: position, in: plan).map {
          "\(SQLIdentifier.quoted(plan.columns[position].name)) = \($0)"
        }
      }
  }

  private static func value(of position: Int, in plan: EntityPlan) -> String? {
    let column = plan.columns[position]
    if column.isOptional { return "NULL" }
    return switch RowBatch.type(of: position, in: plan) {
    case .text: "gen_random_uuid()::text"
    case .uuid: "gen_random_uuid()"
    case .data: "uuid_send(gen_random_uuid())"
    case .integer: noRow
    case .real: "random() * -1e300"
    case .numeric where column.kind == .unsigned: "trunc(random()::numeric * 18e18)"
    case .numeric: "random()::numeric * -1e30"
    default: nil
    }
  }
}

extension RowBatch {
  /// Gives the unique columns of the rows that are about to change placeholders; nil when no column has any.
  ///
  /// The other rows keep their values, so that it can be told afterwards which ones have changed.
  var placeholderUpdate: String? {
    let assignments = UniquePlaceholders.assignments(plan, columns: columns)
    guard !assignments.isEmpty else { return nil }
    let unique = Set(plan.uniqueness.joined())
    let differences = columns.enumerated().filter { unique.contains($1) }.map { place, column in
      Self.differ(
        "t.\(SQLIdentifier.quoted(plan.columns[column].name))", "v.c\(place)", column, in: plan)
    }
    return "UPDATE \(SQLIdentifier.quoted(plan.table)) AS t"
      + " SET \(assignments.joined(separator: ", ")) FROM \(source)"
      + " WHERE t.\(SQLIdentifier.rowID) = v.id AND (\(differences.joined(separator: " OR ")))"
  }
}
