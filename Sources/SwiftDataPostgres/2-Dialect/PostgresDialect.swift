import SwiftDataCore
import SwiftDataSQL

/// The SQL of PostgreSQL from version 13 on.
///
/// The server infers the types of parameters, and values get the form of these types when they are sent. Only where
/// nothing else tells a parameter's type, the text does.
package struct PostgresDialect: SQLDialect {
  package init() {}

  package var features: SQLFeatures {
    SQLFeatures(
      hasTriggers: false, hasDeferredKeys: true, hasForwardReferences: false,
      hasSearchTables: false, dropsColumns: true)
  }

  // MARK: - Truth values and choices

  package func truth(_ value: Bool) -> String { value ? "TRUE" : "FALSE" }

  package func coalesce(_ value: SQLFragment, _ fallback: SQLFragment) -> SQLFragment {
    value.enclosed("COALESCE(", ", ").appending("", fallback, ")")
  }

  package func choice(
    _ test: SQLFragment, _ yes: SQLFragment, _ no: SQLFragment
  ) -> SQLFragment {
    var (yes, no) = (yes, no)
    if isParameter(yes), isParameter(no) { (yes, no) = (typed(yes), typed(no)) }
    return test.enclosed("(CASE WHEN ", " THEN ").appending("", yes)
      .appending(" ELSE ", no, " END)")
  }

  // MARK: - Parameters

  func isParameter(_ fragment: SQLFragment) -> Bool { fragment.sql == "?" }

  /// A parameter with the type of its value, for places where the server couldn't infer one.
  private func typed(_ parameter: SQLFragment) -> SQLFragment {
    let type: String? =
      switch parameter.bindings.first {
      case .integer: PostgresType.integer.name
      case .real: PostgresType.real.name
      case .blob: PostgresType.data.name
      case .text, .null, nil: nil
      }
    return type.map { typed(parameter, $0) } ?? parameter
  }

  /// A value, with a type if it is a parameter.
  func typed(_ value: SQLFragment, _ type: String) -> SQLFragment {
    isParameter(value) ? value.appending("::\(type)") : value
  }

  // MARK: - Sources of rows

  package func join(_ first: String, _ second: String, on condition: String) -> String {
    "\(first) JOIN \(second) ON \(condition)"
  }

  /// Before version 16, a query in a FROM clause needs a name.
  package func subquery(_ query: String) -> String { "(\(query)) AS q" }

  package func rows(
    of plan: EntityPlan, _ columns: [Int], within bounds: [Bounds]
  ) -> SQLFragment? { nil }

  package func rows(
    of plan: EntityPlan, _ column: Int, containing part: String
  ) -> SQLFragment? { nil }

  /// One sequence gives the IDs of all tables, so rows of several tables have different ones.
  package func lastRowID(in table: String) -> String { "0" }

  func call(_ function: String, _ value: SQLFragment) -> SQLFragment {
    value.enclosed(function + "(", ")")
  }

  func call(_ function: String, _ first: SQLFragment, _ second: SQLFragment) -> SQLFragment {
    first.enclosed(function + "(", ", ").appending("", second, ")")
  }
}
