import SwiftDataCore

/// The errors of insertions that can't become updates of the stored rows with their unique values.
extension StoreError {
  /// The error of a row whose unique value a row of another class of the family has.
  package static func replacesOtherClass(
    _ plan: EntityPlan, rowID: Int64, entity: String, path: String
  ) -> StoreError {
    StoreError(
      .notUnique, path: path,
      explanation:
        "a \(plan.name) would replace row \(rowID), which has the same unique value but is a"
        + " \(entity); a model can't change its class, so delete that one or change the value")
  }

  /// The error of a row whose unique values several rows have.
  ///
  /// - Parameter rows: The stored rows, and the constraint by which each was found.
  package static func replacesSeveral(
    _ plan: EntityPlan, rows: [(rowID: Int64, constraint: [Int])], path: String
  ) -> StoreError {
    let rows = rows.map { rowID, constraint in
      "row \(rowID) by \(constraint.map { plan.columns[$0].name }.joined(separator: ", "))"
    }
    return StoreError(
      .notUnique, path: path,
      explanation: "a \(plan.name) would have to replace two stored ones at once:"
        + " \(rows.joined(separator: " and ")); delete one of them, or change the unique values")
  }
}
