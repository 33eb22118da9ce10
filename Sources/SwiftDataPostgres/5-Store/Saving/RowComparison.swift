import SwiftDataCore
import SwiftDataSQL

/// Finds the models of a save whose rows others have changed since they were read. The rows are locked until the
/// transaction ends.
struct RowComparison {
  /// A row that differs from the one that was read.
  struct Difference {
    let kind: MergeConflict.Kind
    let plan: EntityPlan
    let base: RowCopy
    let local: RowCopy
    /// nil when the row was deleted.
    let stored: RowCopy?
    /// The properties whose stored values changed.
    let changed: [Int]
    /// The properties that were changed here.
    let edited: [Int]

    func conflict(_ model: any PersistentModel) -> MergeConflict {
      MergeConflict(
        kind, model.persistentModelID, plan, changed: changed, edited: edited, base: base,
        stored: stored, local: local)
    }
  }

  /// A model with changes, as it was read and as it is.
  private struct Candidate {
    let model: any PersistentModel
    let base: RowCopy
    let local: RowCopy
    let edited: [Int]
    let isDeleted: Bool
  }

  private var candidates: [ObjectIdentifier: (plan: EntityPlan, models: [Candidate])] = [:]

  /// Adds a model whose row is to be compared. One that isn't completely loaded was never read as a whole, so it can't
  /// be; one without changes isn't written.
  mutating func append<Model: PersistentModel>(_ model: Model, isDeleted: Bool = false) {
    let state = model._$modelState
    guard let plan = state.plan, state.partial == nil, let held = state.currentRow(of: model)
    else { return }
    // In the form in which they would be written.
    let local = Self.composed(held, plan)
    let base =
      state.hasCommittedCells
      ? state.committedRow(of: model).map { Self.composed($0, plan) } ?? local : local
    let edited = Self.differing(base, local, plan, among: state.changes.indices)
    guard isDeleted || !edited.isEmpty else { return }
    candidates[ObjectIdentifier(plan), default: (plan, [])].models.append(
      Candidate(model: model, base: base, local: local, edited: edited, isDeleted: isDeleted))
  }

  /// Reads the rows, those of one class together.
  ///
  /// - Returns: The differences, by model.
  func run(_ save: SaveOperation) throws -> [ObjectIdentifier: Difference] {
    var differences: [ObjectIdentifier: Difference] = [:]
    for (plan, models) in candidates.values {
      let stored = try Self.storedRows(models.map { $0.model._$modelState.rowID }, plan, save)
      for candidate in models {
        let row = stored[candidate.model._$modelState.rowID]
        differences[ObjectIdentifier(candidate.model)] = Self.difference(candidate, row, plan)
      }
    }
    return differences
  }

  private static func difference(
    _ candidate: Candidate, _ stored: RowCopy?, _ plan: EntityPlan
  ) -> Difference? {
    guard let stored else {
      if candidate.isDeleted { return nil }
      return Difference(
        kind: .deletedInStore, plan: plan, base: candidate.base, local: candidate.local,
        stored: nil, changed: [], edited: candidate.edited)
    }
    let changed = differing(candidate.base, stored, plan, among: plan.properties.indices)
    if changed.isEmpty { return nil }
    return Difference(
      kind: candidate.isDeleted ? .deletedHere : .edited, plan: plan, base: candidate.base,
      local: candidate.local, stored: stored, changed: changed,
      edited: candidate.isDeleted ? [] : candidate.edited)
  }

  /// The rows as models that read them would write them: other programs may use other forms for the same value. Locks
  /// are taken in the order of the rows, so that saves don't wait for each other.
  private static func storedRows(
    _ rowIDs: [Int64], _ plan: EntityPlan, _ save: SaveOperation
  ) throws -> [Int64: RowCopy] {
    let queries = try save.store.queries(of: plan)
    let id = "t0.\(SQLIdentifier.rowID)"
    let result = try save.run(
      queries.select + queries.whereClause("\(id) = ANY (?)")
        + " ORDER BY \(id) FOR NO KEY UPDATE OF t0", [.integers(rowIDs)])
    let reader = PostgresRowReader(result, kinds: queries.kinds)
    var rows: [Int64: RowCopy] = [:]
    for row in 0..<result.rowCount {
      try queries.withRow(reader.cells(of: result, row), from: 0, address: save.store.address) {
        guard $0.plan === plan else { return }
        rows[$0.rowID] = try rewritten($0)
      }
    }
    return rows
  }

  private static func rewritten(_ row: RowView) throws -> RowCopy? {
    func open<Model: PersistentModel>(_ type: Model.Type) throws -> RowCopy? {
      let reading = Model(_hollow: _HollowModel())
      let state = reading._$modelState
      state.plan = row.plan
      var reader = _RowReader(cells: row.cells, plan: row.plan, state: state)
      try reading._$decode(from: &reader)
      return state.currentRow(of: reading).map { composed($0, row.plan) }
    }
    return try open(row.plan.type)
  }

  // MARK: - Rows

  private static func differing(
    _ left: RowCopy, _ right: RowCopy, _ plan: EntityPlan, among properties: some Sequence<Int>
  ) -> [Int] {
    let right = writer(right, plan)
    return properties.filter { index in
      let columns = plan.columnRanges[index]
      return !columns.isEmpty && !left.isEqual(in: columns, to: right, at: columns.lowerBound)
    }
  }

  private static func composed(_ row: RowCopy, _ plan: EntityPlan) -> RowCopy {
    if plan.uniqueTexts.isEmpty { return row }
    var row = writer(row, plan)
    row.composeUniqueTexts(at: 0)
    return row.rowCopy
  }

  private static func writer(_ row: RowCopy, _ plan: EntityPlan) -> _RowWriter {
    var writer = _RowWriter(plan: plan)
    writer.cells = row.cells
    writer.arena = row.arena
    return writer
  }
}
