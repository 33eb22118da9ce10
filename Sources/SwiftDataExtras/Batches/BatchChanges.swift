import Foundation
import SwiftDataCore
import SwiftDataSQL

/// The values that a batch update assigns to the properties of each model.
///
/// ```swift
/// try container.batchUpdate(Quake.self, where: #Predicate { $0.status == "automatic" }) { changes in
///   changes.set(\.status, to: "reviewed")
///   changes.set(\.views, to: #Expression { $0.views + 1 })
/// }
/// ```
///
/// All expressions see the values from before the update, including those of properties that the same update sets.
public struct BatchChanges<Model: PersistentModel> {
  var assignments: [BatchAssignment<Model>] = []

  /// Sets the same value for all models.
  ///
  /// - Parameters:
  ///   - property: A property, or a member of a structure.
  ///   - value: The value. A model, as the destination of a relationship, must already be stored.
  public mutating func set<Value>(
    _ property: ReferenceWritableKeyPath<Model, Value>, to value: Value
  ) {
    assignments.append(BatchAssignment(property, value))
  }

  /// Sets a value for each model that is computed from the model's own values.
  ///
  /// - Parameters:
  ///   - property: A property, or a member of a structure.
  ///   - expression: The value, computed from the stored model. Where it has no result, such as for an integer that
  ///     overflows, the whole update fails.
  public mutating func set<Value>(
    _ property: ReferenceWritableKeyPath<Model, Value>, to expression: Expression<Model, Value>
  ) {
    assignments.append(BatchAssignment(property, expression))
  }
}
