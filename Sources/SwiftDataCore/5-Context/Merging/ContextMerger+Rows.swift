/// Models take over the values that others have written to their rows.
extension ContextMerger {
  /// The number of rows that are read together.
  private static let batch = 256

  /// Brings models up to date. Those with changes of their own wait until they have none.
  ///
  /// - Throws: The first error, after everything else has been merged.
  func merge(_ changes: RowsToMerge, in context: ModelContext) throws {
    guard !isMerging else {
      deferred.formUnion(changes)
      return
    }
    isMerging = true
    context.beginOperation()
    // Observers are notified when the operation is over, and may call the context again.
    defer { context.endOperation() }
    defer { isMerging = false }
    var changes = changes
    changes.formUnion(deferred)
    deferred = RowsToMerge()
    var failure: (any Error)?
    for (table, rows) in changes.rows {
      do { try merge(rows, of: table, in: context) } catch { failure = failure ?? error }
    }
    if !changes.linked.isEmpty {
      do { try mergeLists(of: changes.linked, in: context) } catch { failure = failure ?? error }
    }
    guard let failure else { return }
    // No change is lost: the next merge tries again.
    deferred.formUnion(changes)
    throw failure
  }

  private func merge(
    _ rows: [Int64: RowsToMerge.Properties], of table: String, in context: ModelContext
  ) throws {
    guard let registered = context.link.rowIDMaps[table],
      let store = context.core.capabilities.first(where: {
        $0.plans.contains { $0.table == table }
      }),
      let plan = store.plans.first(where: {
        $0.table == table && ($0.family?.isRoot($0) ?? true)
      })
    else { return }
    let rowIDs = rows.keys.sorted()
    for start in stride(from: 0, to: rowIDs.count, by: Self.batch) {
      var waiting: [Int64: any PersistentModel] = [:]
      for rowID in rowIDs[start..<min(start + Self.batch, rowIDs.count)] {
        guard let model = registered[rowID] as? any PersistentModel,
          !model._$modelState.flags.contains(.rowDeleted)
        else { continue }
        if model._$modelState.followsRow {
          waiting[rowID] = model
        } else if let properties = rows[rowID] {
          deferred.insert(rowID, of: plan, properties)
        }
      }
      if !waiting.isEmpty { try merge(rows, into: waiting, plan, store.store, in: context) }
    }
  }

  private func merge(
    _ rows: [Int64: RowsToMerge.Properties], into models: [Int64: any PersistentModel],
    _ plan: EntityPlan, _ store: any RowStore, in context: ModelContext
  ) throws {
    var waiting = models
    let query = try store.prepare(
      rowIDs: models.keys.sorted(), of: plan,
      properties: Self.wanted(models.keys.compactMap { rows[$0] }, plan))
    // Copied, because observers may fetch from the store while they are notified of a change.
    var read: [(row: EntityRow, generation: UInt64)] = []
    try query.statement.forEachRow { generation, row in
      read.append((EntityRow(copying: row), generation))
    }
    for (row, generation) in read {
      guard let model = waiting.removeValue(forKey: row.rowID), model._$modelState.followsRow,
        let properties = rows[row.rowID]
      else { continue }
      try row.withView { try consume($0, properties, into: model, generation, in: context) }
    }
    for model in waiting.values where model._$modelState.followsRow {
      markDeleted(model, in: context)
    }
  }

  /// Returns the properties to read: nil for all. Rows of subclasses have other properties, so they are read whole.
  private static func wanted(_ changes: [RowsToMerge.Properties], _ plan: EntityPlan) -> [Int]? {
    guard plan.family == nil else { return nil }
    var union = Set<Int>()
    for case let properties in changes {
      guard case .some(let properties) = properties else { return nil }
      union.formUnion(properties)
    }
    return union.sorted()
  }

  private func consume(
    _ row: RowView, _ properties: RowsToMerge.Properties, into model: any PersistentModel,
    _ generation: UInt64, in context: ModelContext
  ) throws {
    func open<Model: PersistentModel>(_ model: Model) throws {
      let state = model._$modelState
      let plan = row.plan
      guard state.plan === plan else { return }
      let missing = state.partial?.fetch.missing ?? []
      var writer = _RowWriter(plan: plan)
      writer.begin(state)
      model._$encode(into: &writer)
      for (index, property) in plan.properties.enumerated()
      where !property.columns.isEmpty && properties.contains(index) && !missing.contains(index)
        && (!writer.isEqual(to: row.cells, in: property.columns)
          || property.relationship != nil && isDangling(model, index))
      {
        var failure: (any Error)?
        model.replace(index, plan) { model in
          do { try context.decode([index], of: model, row.cells, plan) } catch { failure = error }
        }
        if let failure { throw failure }
      }
      if case .all = properties, missing.isEmpty { state.generation = generation }
    }
    try open(model)
  }

  /// Whether a to-one relationship leads to a model whose row is gone, or led there: that is encoded like an empty
  /// relationship, so comparing the columns doesn't show it.
  private func isDangling<Model: PersistentModel>(_ model: Model, _ index: Int) -> Bool {
    guard case .one(let destination) = model.links(at: index) else { return false }
    guard let destination else { return model._$modelState.reference(at: index) != nil }
    return destination._$modelState.flags.contains(.rowDeleted)
  }

  /// Marks a model whose row is gone as deleted.
  func markDeleted(_ model: any PersistentModel, in context: ModelContext) {
    func open<Model: PersistentModel>(_ model: Model) {
      let state = model._$modelState
      state.flags = .rowDeleted
      context.forget(model)
      guard state.isObserved, let plan = state.plan else { return }
      // Views that show the model must check `isDeleted` again.
      for index in plan.properties.indices { model.replace(index, plan) { _ in } }
    }
    open(model)
  }
}
