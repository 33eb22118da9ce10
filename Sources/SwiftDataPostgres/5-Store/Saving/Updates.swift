import SwiftDataCore

/// Updates of a save, by class and changed properties.
struct Updates {
  private struct Kind: Hashable {
    let plan: ObjectIdentifier
    let properties: ChangeMask
  }

  private struct Group {
    var rows: RowBatch
    var models: [any PersistentModel] = []
  }

  /// The rows of each kind, those of one statement in a group.
  private var groups: [Kind: [Group]] = [:]
  private var order: [Kind] = []

  /// Encodes the changed properties of a model.
  ///
  /// - Parameter linksOnly: Whether only relationships are written, and those that are as they were read, too.
  mutating func append(
    _ model: any PersistentModel, linksOnly: Bool = false, _ save: SaveOperation
  ) throws {
    let plan = try save.plan(of: model)
    let state = model._$modelState
    var row = _RowWriter(plan: plan)
    row.begin(state)
    var properties = ChangeMask()
    var columns: [Int] = []
    let overwrites = save.changes.mergePolicy == .overwrite
    // A model of which only lists have changed is in no conflict: others' values and deletions stand.
    if overwrites, !save.changesRow(of: model, plan) { return }
    let written = overwrites ? Array(plan.properties.indices) : Array(state.changes.indices)
    let kept = save.kept[ObjectIdentifier(model)] ?? []
    for index in written {
      let range = plan.columnRanges[index]
      let isLink = plan.properties[index].relationship != nil
      guard isLink || !linksOnly, !range.isEmpty, !kept.contains(index) else { continue }
      let start = row.cells.count
      row.property = index
      try Self.encode(model, index, into: &row)
      if let (property, _) = row.unresolved.first {
        throw SaveOperation.missingStoreRow(plan, property)
      }
      row.composeUniqueTexts(ofColumns: range, at: start)
      // A link may have been removed for the deletions of this save, so that it has to be written in any case.
      if !overwrites, !linksOnly, !isLink || save.changes.deleted.isEmpty,
        row.isAsCommitted(index, state, at: start) == true
      {
        row.cells.removeLast(row.cells.count - start)
        continue
      }
      try save.store.cipher[plan]?.seal(&row, columns: Array(range), at: start)
      properties.insert(index)
      columns += range
    }
    guard !columns.isEmpty else { return }
    let kind = Kind(plan: ObjectIdentifier(plan), properties: properties)
    if groups[kind] == nil { order.append(kind) }
    try Self.append(
      row, of: model, to: &groups[kind, default: []], columns, save)
  }

  private static func append(
    _ row: _RowWriter, of model: any PersistentModel, to groups: inout [Group], _ columns: [Int],
    _ save: SaveOperation
  ) throws {
    let limit = save.store.configuration.batchByteCount
    if groups.last?.rows.hasRoom(for: row.arena, within: limit) != true {
      groups.append(Group(rows: RowBatch(row.plan, columns: columns)))
    }
    let last = groups.count - 1
    try groups[last].rows.append(
      rowID: model._$modelState.rowID, row.cells[...], arena: row.arena,
      address: save.store.address)
    groups[last].models.append(model)
  }

  /// Encodes one property of a model.
  static func encode(
    _ model: any PersistentModel, _ index: Int, into row: inout _RowWriter
  ) throws {
    func open<Model: PersistentModel>(_ model: Model, _ row: inout _RowWriter) {
      model._$encode(index, into: &row)
    }
    let start = row.cells.count
    open(model, &row)
    if let failure = row.failure { throw failure }
    guard row.cells.count - start == row.plan.columnRanges[index].count else {
      throw SchemaError.misalignedRow(entity: row.plan.name)
    }
  }

  /// Writes the rows, in the order of the tables and of the first row of each statement. Where that isn't the order of
  /// all rows, they are locked in this order before: saves of the same rows would wait for each other in a circle
  /// otherwise.
  ///
  /// - Returns: The models whose rows no longer exist.
  func write(_ save: SaveOperation) throws -> [any PersistentModel] {
    let written = groups.flatMap { entry in entry.value.map { (kind: entry.key, group: $0) } }
      .sorted { Self.precedes($0.group.rows, $1.group.rows) }
    let batches = written.map(\.group.rows)
    if !save.hasLockedRows { try Self.lockMixedRows(batches, save) }
    // Of rows that are written whole, only the differences are changes.
    let compares = save.changes.mergePolicy == .overwrite
    let results = try save.exchanging(exchanges(batches)) {
      try batches.map { rows in
        try save.run(
          compares ? rows.comparingUpdate(onlyDifferent: false) : rows.update, rows.values)
      }
    }
    var resultsByKind: [Kind: [PostgresResult]] = [:]
    for (place, result) in zip(written, results) {
      resultsByKind[place.kind, default: []].append(result)
    }
    var missing: [any PersistentModel] = []
    for kind in order {
      guard let groups = groups[kind], let own = resultsByKind[kind], let rows = groups.first?.rows
      else { continue }
      if compares {
        save.record(comparedIn: own, rows.columns, of: rows.plan)
      } else {
        save.recording.update(
          own.flatMap(Self.rowIDs).sorted(), kind.properties, of: rows.plan)
      }
      for (group, result) in zip(groups, own) where result.rowCount < group.models.count {
        missing += try Self.missing(group, besides: Set(Self.rowIDs(result)), save)
      }
    }
    return missing
  }

  private static func precedes(_ one: RowBatch, _ other: RowBatch) -> Bool {
    (one.plan.table, one.rowIDs.first ?? 0) < (other.plan.table, other.rowIDs.first ?? 0)
  }

  /// Locks rows where a statement writes some that lie between those of another one, and the rows of the tables before.
  private static func lockMixedRows(_ batches: [RowBatch], _ save: SaveOperation) throws {
    let mixed = batches.indices.dropFirst().last { place in
      let (one, other) = (batches[place - 1], batches[place])
      return one.plan.table == other.plan.table
        && one.rowIDs.last ?? 0 > other.rowIDs.first ?? 0
    }
    guard let mixed else { return }
    var locks = RowLocks()
    for rows in batches where rows.plan.table <= batches[mixed].plan.table {
      locks.append(rows.rowIDs, of: rows.plan)
    }
    try locks.take(save)
  }

  /// The row IDs that a statement has returned.
  private static func rowIDs(_ result: PostgresResult) -> [Int64] {
    (0..<result.rowCount).compactMap { result.integer($0, 0) }
  }

  /// The models whose rows no longer exist, and don't only have the values already.
  private static func missing(
    _ group: Group, besides written: Set<Int64>, _ save: SaveOperation
  ) throws -> [any PersistentModel] {
    let others = group.models.filter { !written.contains($0._$modelState.rowID) }
    let result = try save.run(
      RowBatch.existing(group.rows.plan), [.integers(others.map { $0._$modelState.rowID })])
    let found = Set(Self.rowIDs(result))
    return others.filter { !found.contains($0._$modelState.rowID) }
  }

  /// The rows whose unique values change, unless it is only one row.
  private func exchanges(_ written: [RowBatch]) -> [RowBatch] {
    let batches = written.filter { rows in
      rows.plan.uniqueness.contains { !Set($0).isDisjoint(with: rows.columns) }
    }
    return batches.reduce(0) { $0 + $1.rowIDs.count } > 1 ? batches : []
  }
}

extension EntityPlan {
  /// The order of the tables in which saves compare and look for rows.
  func isWritten(before other: EntityPlan) -> Bool {
    (table, name) < (other.table, other.name)
  }
}
