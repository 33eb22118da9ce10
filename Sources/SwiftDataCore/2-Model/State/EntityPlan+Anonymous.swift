extension EntityPlan {
  /// The plan of rows that belong to no entity.
  package static let anonymous = EntityPlan(
    name: "?", type: _UnknownModel.self, properties: [], columns: [], uniqueness: [], indices: [])
}
