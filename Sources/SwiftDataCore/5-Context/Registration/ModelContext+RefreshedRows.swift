extension ModelContext {
  /// Updates the registered model of a row, if there is one, with the row's values. A model with unsaved changes keeps
  /// its own.
  func refreshRegistered(_ row: EntityRow, generation: UInt64) throws {
    func open<Model: PersistentModel>(_ type: Model.Type) throws {
      let map = try identityMap(for: type)
      guard let registered = map[row.rowID] as? Model else { return }
      registered._$modelState.generation = 0
      try row.withView { row in
        let _: Model = try materialize(row, in: map, generation: generation)
      }
    }
    try open(row.plan.type)
  }
}
