import SwiftDataCore
import SwiftDataSQL

/// The insertions of a save.
struct Insertions {
  /// The number of rows that one statement inserts.
  private static let maximumBatch = 10_000
  /// The number of models of one class from which a sample is looked for first, and its size.
  private static let minimumSampled = 512
  private static let sampleSize = 32

  private let models: [any PersistentModel]
  /// The outcomes, in the order of the models.
  private(set) var outcomes: [WriteOutcome] = []
  /// The rows that exist and get the values of models, by table.
  private var existing: [String: Set<Int64>] = [:]
  /// The rows of models that are encoded already.
  private var encoded: [ObjectIdentifier: _RowWriter] = [:]
  /// The models of rows that have to be written again.
  private var restored: [any PersistentModel] = []

  init(_ models: [any PersistentModel]) { self.models = models }

  /// Adds a model whose row doesn't exist any more, to be written with the ID that it had.
  mutating func restore(_ model: any PersistentModel) { restored.append(model) }

  // MARK: - Row IDs

  /// Gives each model a row: a new one, or the one that has its unique values.
  mutating func assignRowIDs(_ save: SaveOperation) throws {
    guard !models.isEmpty else { return }
    let fresh = try save.store.rowIDs.take(models.count, save.connection)
    for (model, rowID) in zip(models, fresh) { model._$modelState.rowID = rowID }
    outcomes = fresh.map { .inserted($0) }
    let order = InsertionOrder(
      models, try byPlan(models, save), plansByType: save.store.plansByType)
    let steps = order.steps.filter {
      !$0.plan.uniqueness.isEmpty && !save.expectsNewValues(of: $0.plan)
    }
    var matches: [ObjectIdentifier: UniqueMatches] = [:]
    for step in steps {
      let earlier = matches.removeValue(forKey: ObjectIdentifier(step.plan))
      if earlier == nil, try areSampledAsNew(step.positions, step.plan, save) { continue }
      matches[ObjectIdentifier(step.plan)] = try match(step, after: earlier, save)
    }
  }

  /// Whether no rows have the unique values of a few models among many, so that none is expected to have those of the
  /// others.
  private func areSampledAsNew(
    _ positions: [Int], _ plan: EntityPlan, _ save: SaveOperation
  ) throws -> Bool {
    guard save.mayExpectNewValues, positions.count >= Self.minimumSampled else { return false }
    let sample = stride(from: 0, to: positions.count, by: positions.count / Self.sampleSize)
      .map { models[positions[$0]] }
    guard try UniqueMatches(sample, plan, save).isEmpty else { return false }
    save.store.newValues.record(plan, wereNew: true)
    return true
  }

  /// Gives the models their rows again, after the transaction has turned out to be stored.
  func assignRowIDsAgain() throws {
    for (model, outcome) in zip(models, outcomes) {
      model._$modelState.rowID = try outcome.rowID()
    }
  }

  /// The positions of models by class, in the order of the first model of each class.
  private func byPlan(
    _ models: [any PersistentModel], _ save: SaveOperation
  ) throws -> [(plan: EntityPlan, positions: [Int])] {
    var groups: [(plan: EntityPlan, positions: [Int])] = []
    var places: [ObjectIdentifier: Int] = [:]
    for (position, model) in models.enumerated() {
      let plan = try save.plan(of: model)
      if let place = places[ObjectIdentifier(plan)] {
        groups[place].positions.append(position)
      } else {
        places[ObjectIdentifier(plan)] = groups.count
        groups.append((plan, [position]))
      }
    }
    return groups
  }

  /// Gives models of a class the rows that have their unique values.
  ///
  /// - Parameter earlier: The matches of the models of the class in earlier steps.
  /// - Returns: The matches with those of the step.
  private mutating func match(
    _ step: InsertionOrder.Step, after earlier: UniqueMatches?, _ save: SaveOperation
  ) throws -> UniqueMatches {
    let (plan, positions) = (step.plan, step.positions)
    var matches = try UniqueMatches(positions.map { models[$0] }, plan, after: earlier, save)
    for (position, row) in zip(positions, matches.encoded) {
      encoded[ObjectIdentifier(models[position])] = row
    }
    var areNew = true
    for (number, position) in positions.enumerated() {
      let state = models[position]._$modelState
      let fresh = state.rowID
      let (rowID, isStored) = try matches.take(number, fresh: fresh, address: save.store.address)
      guard rowID != fresh else { continue }
      areNew = false
      if isStored { existing[plan.table, default: []].insert(rowID) }
      state.rowID = rowID
      outcomes[position] = .updated(rowID)
    }
    save.store.newValues.record(plan, wereNew: areNew)
    return matches
  }

  /// Takes note of rows that were deleted after they had been found for models: they are inserted again.
  mutating func forget(_ deleted: [String: [Int64]], _ save: SaveOperation) {
    guard !existing.isEmpty else { return }
    for plan in save.store.plans {
      if let rowIDs = deleted[plan.name] { existing[plan.table]?.subtract(rowIDs) }
    }
  }

  /// A model's whole row.
  ///
  /// - Parameter arenaSize: The expected number of bytes of its texts and data.
  static func encoded(
    _ model: any PersistentModel, _ plan: EntityPlan, _ cipher: StoreCipher, arenaSize: Int = 0
  ) throws -> _RowWriter {
    func open<Model: PersistentModel>(_ model: Model) throws -> _RowWriter {
      var row = _RowWriter(plan: plan)
      if arenaSize > 0 { row.arena.reserveCapacity(arenaSize) }
      row.begin(model._$modelState)
      model._$encode(into: &row)
      if let failure = row.failure { throw failure }
      guard row.cells.count == plan.columns.count else {
        throw SchemaError.misalignedRow(entity: plan.name)
      }
      row.composeUniqueTexts(at: 0)
      try cipher[plan]?.seal(&row)
      return row
    }
    return try open(model)
  }

  // MARK: - Rows

  /// Writes the rows, those of one class together. Where models share a row, it gets the values of the last one: those
  /// of an inserted model rather than those of one whose row is restored.
  mutating func write(_ save: SaveOperation) throws {
    let all = restored + models
    for (plan, positions) in try byPlan(all, save) {
      var last: [Int64: Int] = [:]
      for position in positions { last[all[position]._$modelState.rowID] = position }
      let known = existing[plan.table] ?? []
      let kept = positions.filter { last[all[$0]._$modelState.rowID] == $0 }
        .map { all[$0] }
      let updated = kept.filter { known.contains($0._$modelState.rowID) }
      let inserted = kept.filter { !known.contains($0._$modelState.rowID) }
      try update(updated, plan, save)
      if inserted.count >= RowBatch.minimumCopied, plan.family == nil {
        try copy(inserted, plan, save)
      } else {
        let queries = try save.store.queries(of: plan)
        try forEachBatch(inserted, plan, save) { batch in
          try save.runLater(queries.insertion(of: batch))
          // Long values aren't kept.
          if batch.byteCount > save.store.configuration.batchByteCount / 2 {
            try save.connection.sendDeferred()
          }
        }
      }
      save.recording.insert(inserted.map { $0._$modelState.rowID }.sorted(), of: plan)
    }
  }

  /// Gives rows that exist the values of models. Those that have them already are left alone.
  private mutating func update(
    _ models: [any PersistentModel], _ plan: EntityPlan, _ save: SaveOperation
  ) throws {
    var changed: Set<Int64> = []
    // A row without columns is as it was.
    if !plan.columns.isEmpty {
      // With one constraint, the unique values are those by which the rows were found.
      let mayExchange = plan.uniqueness.count > 1 && models.count > 1
      func run(_ batch: RowBatch) throws -> PostgresResult {
        try save.run(batch.comparingUpdate(onlyDifferent: true), batch.values)
      }
      var results: [PostgresResult] = []
      var exchanged: [RowBatch] = []
      try forEachBatch(models, plan, save) { batch in
        // Rows of all batches may exchange values.
        if mayExchange { exchanged.append(batch) } else { results.append(try run(batch)) }
      }
      results += try save.exchanging(exchanged) { try exchanged.map { try run($0) } }
      save.record(comparedIn: results, Array(plan.columns.indices), of: plan)
      for result in results {
        changed.formUnion((0..<result.rowCount).compactMap { result.integer($0, 0) })
      }
    }
    let rowIDs = Set(models.map { $0._$modelState.rowID })
    for (position, outcome) in outcomes.enumerated() {
      guard case .updated(let rowID) = outcome, rowIDs.contains(rowID), !changed.contains(rowID)
      else { continue }
      outcomes[position] = .unchanged(rowID)
    }
  }

  /// Calls `body` with the rows of models, in their order, as many as one statement should have.
  private func forEachBatch(
    _ models: [any PersistentModel], _ plan: EntityPlan, _ save: SaveOperation,
    _ body: (RowBatch) throws -> Void
  ) throws {
    let limit = save.store.configuration.batchByteCount
    var batch = RowBatch(plan, columns: Array(plan.columns.indices))
    for model in models {
      let row = try resolved(model, plan, save)
      if batch.rowIDs.count == Self.maximumBatch || !batch.hasRoom(for: row.arena, within: limit) {
        try body(batch)
        batch = RowBatch(plan, columns: batch.columns)
      }
      try batch.append(
        rowID: model._$modelState.rowID, row.cells[...], arena: row.arena,
        address: save.store.address)
    }
    if !batch.rowIDs.isEmpty { try body(batch) }
  }

  private func copy(
    _ models: [any PersistentModel], _ plan: EntityPlan, _ save: SaveOperation
  ) throws {
    try save.connection.copy(into: plan) { writer in
      for model in models {
        let row = try resolved(model, plan, save)
        do {
          try row.arena.withUnsafeBytes { arena in
            try writer.append(rowID: model._$modelState.rowID, row.cells, arena: arena)
          }
        } catch let error as StoreError where error.code == .unsupportedValue {
          // The error with the property's name.
          let types = plan.columns.indices.map { RowBatch.type(of: $0, in: plan) }
          try RowBatch.check(row, plan, types, address: save.store.address)
          throw error
        }
      }
    }
  }

  /// A model's row, whose destinations all have rows.
  private func resolved(
    _ model: any PersistentModel, _ plan: EntityPlan, _ save: SaveOperation
  ) throws -> _RowWriter {
    if let row = encoded[ObjectIdentifier(model)] { return row }
    let row = try Self.encoded(model, plan, save.store.cipher)
    if let (property, _) = row.unresolved.first {
      throw SaveOperation.missingStoreRow(plan, property)
    }
    return row
  }
}
