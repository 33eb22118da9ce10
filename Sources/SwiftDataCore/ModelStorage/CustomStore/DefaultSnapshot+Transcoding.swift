import Foundation

extension DefaultSnapshot {
  /// The values of any snapshot, taken from its coded form.
  ///
  /// - Parameters:
  ///   - snapshot: The snapshot; one of this type whose plan is `plan` is taken as it is.
  ///   - plan: What the entity looks like.
  /// - Throws: `EncodingError` or `DecodingError` when the coded form doesn't have the keys of
  ///   ``DataStoreSnapshotCodingKey`` or a value has another type than the model's property.
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
