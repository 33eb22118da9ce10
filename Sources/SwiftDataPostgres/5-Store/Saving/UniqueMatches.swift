import SwiftDataCore
import SwiftDataSQL

/// Finds the rows that inserted models of a class get because of their unique values, in the order of the models:
/// stored rows as the other changes of the save leave them, and the rows of models before them.
struct UniqueMatches {
  typealias Key = [ColumnValue]

  private let plan: EntityPlan
  /// The rows by unique values, for each constraint.
  private var rows: [[Key: Int64]]
  /// The unique values of each row.
  private var keys: [Int64: [(constraint: Int, key: Key)]] = [:]
  /// The unique values of the models; nil where one of them is NULL, which is equal to nothing.
  private let wanted: [[Key?]]
  /// The encoded models, in their order; empty when their rows may change with those of others, or are many.
  private(set) var encoded: [_RowWriter] = []
  /// The largest number of rows that are kept.
  private static let maximumEncoded = 20_000
  /// The rows that exist before the save.
  private var stored: Set<Int64> = []
  /// Whether no row has any of the unique values.
  var isEmpty: Bool { keys.isEmpty }

  /// The rows of models that were matched before.
  private var taken: Set<Int64> = []

  /// Reads the stored rows with the unique values of models, and locks them.
  ///
  /// - Parameter earlier: The matches of other models of the class, which come before these.
  init(
    _ models: [any PersistentModel], _ plan: EntityPlan, after earlier: UniqueMatches? = nil,
    _ save: SaveOperation
  ) throws {
    self.plan = plan
    rows = earlier?.rows ?? Array(repeating: [:], count: plan.uniqueness.count)
    keys = earlier?.keys ?? [:]
    stored = earlier?.stored ?? []
    taken = earlier?.taken ?? []
    var batches = plan.uniqueness.map { RowBatch(plan, columns: $0) }
    var wanted: [[Key?]] = []
    wanted.reserveCapacity(models.count)
    var known: [Set<Key>] = Array(repeating: [], count: plan.uniqueness.count)
    let keepsRows = plan.relationships.isEmpty && models.count <= Self.maximumEncoded
    for (position, model) in models.enumerated() {
      let row = try Insertions.encoded(model, plan, save.store.cipher)
      if keepsRows { encoded.append(row) }
      let own = Self.keys(of: row, plan)
      for (constraint, key) in own.enumerated() {
        guard let key, known[constraint].insert(key).inserted else { continue }
        let cells = plan.uniqueness[constraint].map { row.cells[$0] }
        try batches[constraint].append(
          rowID: Int64(position), cells[...], arena: row.arena, address: save.store.address)
      }
      wanted.append(own)
    }
    self.wanted = wanted
    try find(batches, save)
  }

  /// The unique values of a row; nil where one of them is NULL.
  private static func keys(of row: _RowWriter, _ plan: EntityPlan) -> [Key?] {
    plan.uniqueness.map { constraint in
      let cells = constraint.map { row.cells[$0] }
      if cells.contains(where: { $0.kind == .null }) { return nil }
      return cells.map { ColumnValue($0, bytes: row) }
    }
  }

  private mutating func find(_ batches: [RowBatch], _ save: SaveOperation) throws {
    let constraints = batches.indices.filter { !batches[$0].rowIDs.isEmpty }
    guard !constraints.isEmpty else { return }
    let changes = try changedKeys(save)
    let changed = Set(changes.keys.map(\.rowID)).sorted()
    var commands = constraints.map {
      PostgresCommand(PostgresStatementText.finished(batches[$0].lookup), batches[$0].values)
    }
    if !changed.isEmpty {
      commands.append(
        PostgresCommand(
          PostgresStatementText.finished(RowBatch.lockingExisting(plan)), [.integers(changed)]))
    }
    let results = try save.connection.run(commands)
    let deleted = try deletedRows(save)
    for (constraint, result) in zip(constraints, results) {
      for row in 0..<result.rowCount {
        guard let position = result.integer(row, 0), let rowID = result.integer(row, 1),
          !deleted.contains(rowID), !changes.rows[constraint].contains(rowID),
          !taken.contains(rowID),
          let key = wanted[Int(position)][constraint]
        else { continue }
        if plan.family != nil, let entity = result.text(row, 2), entity != plan.name {
          // Or the save gives the row of the other class another value before.
          if try isRekeyed(rowID, constraint, save) { continue }
          throw StoreError.replacesOtherClass(
            plan, rowID: rowID, entity: entity, path: save.store.address)
        }
        stored.insert(rowID)
        set(key, of: rowID, constraint)
      }
    }
    guard !changed.isEmpty, let existing = results.last else { return }
    let present = Set((0..<existing.rowCount).compactMap { existing.integer($0, 0) })
    for (rowID, constraint, key) in changes.keys where !taken.contains(rowID) {
      if present.contains(rowID) {
        stored.insert(rowID)
      } else if save.changes.mergePolicy == .deletionTrump {
        // Another program has deleted the row, and the update is given up.
        continue
      }
      set(key, of: rowID, constraint)
    }
  }

  private mutating func set(_ key: Key, of rowID: Int64, _ constraint: Int) {
    rows[constraint][key] = rowID
    keys[rowID, default: []].append((constraint, key))
  }

  // MARK: - Other changes of the save

  private func deletedRows(_ save: SaveOperation) throws -> Set<Int64> {
    var deleted: Set<Int64> = []
    for model in save.changes.deleted where try save.plan(of: model).table == plan.table {
      deleted.insert(model._$modelState.rowID)
    }
    return deleted
  }

  /// The rows whose unique values updates of the save change, for each constraint, and their new values.
  private func changedKeys(
    _ save: SaveOperation
  ) throws -> (
    rows: [Set<Int64>], keys: [(rowID: Int64, constraint: Int, key: Key)]
  ) {
    var rows: [Set<Int64>] = Array(repeating: [], count: plan.uniqueness.count)
    var keys: [(rowID: Int64, constraint: Int, key: Key)] = []
    let properties = plan.uniqueness.map { Set($0.map { plan.columns[$0].property }) }
    for model in save.updated where try save.plan(of: model) === plan {
      let state = model._$modelState
      let written = Self.written(model, plan, save)
      let changed = properties.indices.filter { !properties[$0].isDisjoint(with: written) }
      guard !changed.isEmpty else { continue }
      for constraint in changed {
        rows[constraint].insert(state.rowID)
        if let key = try key(of: model, plan.uniqueness[constraint], save.store.cipher) {
          keys.append((state.rowID, constraint, key))
        }
      }
    }
    return (rows, keys)
  }

  /// The properties of an updated model that the save writes.
  private static func written(
    _ model: any PersistentModel, _ plan: EntityPlan, _ save: SaveOperation
  ) -> Set<Int> {
    if save.changes.mergePolicy == .overwrite {
      return save.changesRow(of: model, plan) ? Set(plan.properties.indices) : []
    }
    return Set(model._$modelState.changes.indices)
      .subtracting(save.kept[ObjectIdentifier(model)] ?? [])
  }

  /// Whether the save changes unique values of a row of another class of the family.
  private func isRekeyed(
    _ rowID: Int64, _ constraint: Int, _ save: SaveOperation
  ) throws -> Bool {
    let names = Set(plan.uniqueness[constraint].map { plan.columns[$0].name })
    return try save.updated.contains { model in
      let other = try save.plan(of: model)
      guard model._$modelState.rowID == rowID, other.table == plan.table else { return false }
      return Self.written(model, other, save).contains { property in
        other.columnRanges[property].contains { names.contains(other.columns[$0].name) }
      }
    }
  }

  /// The unique values of an updated model, of which nothing else may be loaded.
  private func key(
    of model: any PersistentModel, _ constraint: [Int], _ cipher: StoreCipher
  ) throws -> Key? {
    var row = _RowWriter(plan: plan)
    row.begin(model._$modelState)
    var places: [Int: Int] = [:]
    for property in Set(constraint.map { plan.columns[$0].property }).sorted() {
      let start = row.cells.count
      let range = plan.columnRanges[property]
      row.property = property
      try Updates.encode(model, property, into: &row)
      row.composeUniqueTexts(ofColumns: range, at: start)
      try cipher[plan]?.seal(&row, columns: Array(range), at: start)
      for (offset, column) in range.enumerated() { places[column] = start + offset }
    }
    let cells = constraint.compactMap { column in places[column].map { row.cells[$0] } }
    if cells.contains(where: { $0.kind == .null }) { return nil }
    return cells.map { ColumnValue($0, bytes: row) }
  }

  // MARK: - Matching

  /// Returns the row for a model: `fresh` when no row has its unique values.
  ///
  /// - Returns: The row's ID, and whether the row exists before the save.
  /// - Throws: ``StoreError/Code/notUnique`` when several rows have some of them.
  mutating func take(
    _ position: Int, fresh: Int64, address: String
  ) throws -> (rowID: Int64, isStored: Bool) {
    var found: (rowID: Int64, constraint: [Int])?
    for (constraint, key) in wanted[position].enumerated() {
      guard let key, let rowID = rows[constraint][key] else { continue }
      let columns = plan.uniqueness[constraint]
      if let found, found.rowID != rowID {
        throw StoreError.replacesSeveral(plan, rows: [found, (rowID, columns)], path: address)
      }
      found = found ?? (rowID, columns)
    }
    let rowID = found?.rowID ?? fresh
    taken.insert(rowID)
    // The row gets all values of the model, and gives up those that it had.
    for (constraint, key) in keys.removeValue(forKey: rowID) ?? []
    where rows[constraint][key] == rowID {
      rows[constraint][key] = nil
    }
    for (constraint, key) in wanted[position].enumerated() {
      if let key { set(key, of: rowID, constraint) }
    }
    return (rowID, stored.contains(rowID))
  }
}
