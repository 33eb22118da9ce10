import Foundation

extension DefaultSnapshot {
  /// Creates a snapshot with the values of any snapshot, taken from its encoded form.
  ///
  /// - Parameters:
  ///   - snapshot: The snapshot; one of this type whose plan is `plan` is used directly.
  ///   - plan: The plan of the entity.
  /// - Throws: `EncodingError` or `DecodingError` when the encoded form doesn't have the keys of
  ///   ``DataStoreSnapshotCodingKey`` or a value has a different type than the model's property.
  init(_ snapshot: some DataStoreSnapshot, plan: EntityPlan) throws {
    if let own = snapshot as? DefaultSnapshot, own.plan === plan {
      if let failure = own.failure { throw failure }
      self = own
      return
    }
    let text = Data(try JSONColumn.encode(snapshot).utf8)
    self = try SnapshotPlans.with([plan.name: plan]) {
      try JSONColumn.decode(DefaultSnapshot.self, from: text)
    }
  }
}
