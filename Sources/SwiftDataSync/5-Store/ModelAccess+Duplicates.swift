import SwiftData
import SwiftDataSQL

/// The current or future values of an object in columns that are unique together.
private struct UniqueValues: Hashable {
  let table: String
  let columns: [String]
  let values: [SyncValue]
}

/// A row whose unique values are assigned to another row in the same transaction: it gets a placeholder until its own
/// values are written.
struct VacatedRow {
  let table: String
  let column: String
  let row: Int64
  let value: SQLValue

  func write(_ tables: SideTables) throws {
    try tables.run(
      "UPDATE \(table) SET \(SQLIdentifier.quoted(column)) = ? WHERE \"_id\" = ?",
      [value, .integer(row)])
  }
}

extension ModelAccess {
  /// Finds writes that would give two objects the same values of unique properties.
  ///
  /// - Returns: The writes that can't be performed, and the rows to change before the others are written.
  func duplicates(
    in planned: PlannedValues, _ tables: SideTables
  ) throws -> (found: [SyncObjectID: SyncObstacle], vacated: [VacatedRow]) {
    var claims: [(object: SyncObjectID, unique: UniqueValues, holder: Int64?, isOwn: Bool)] = []
    for object in planned.order {
      guard case .some(.some(let values)) = planned[object], let form = forms[object.entity] else {
        continue
      }
      let constraints = form.uniqueness
      guard !constraints.isEmpty, let cells = try form.row(values) else { continue }
      let row = try row(of: object, tables)
      for columns in constraints {
        guard let unique = form.unique(columns, values) else { continue }
        let holder = try holder(of: columns, form, values, cells, tables)
        claims.append((object, unique, holder, holder != nil && holder == row))
      }
    }
    var found: [SyncObjectID: SyncObstacle] = [:]
    var vacated: [VacatedRow] = []
    var owners: [UniqueValues: SyncObjectID] = [:]
    // Objects that keep their values take precedence.
    for claim in claims.filter(\.isOwn) + claims.filter({ !$0.isOwn }) {
      if let owner = owners[claim.unique], owner != claim.object {
        found[claim.object] = .duplicate(of: owner, properties: names(claim.unique, claim.object))
        continue
      }
      if let holder = claim.holder, !claim.isOwn {
        let other = try self.object(inRow: holder, of: claim.object.entity, tables)
        guard let other, let values = planned[other] else {
          found[claim.object] = .duplicate(
            of: other ?? SyncObjectID(forms[claim.object.entity]?.plan.table ?? "", ""),
            properties: names(claim.unique, claim.object))
          continue
        }
        if let values, let row = vacation(of: holder, other, claim.unique, values) {
          vacated.append(row)
        }
      }
      owners[claim.unique] = claim.object
    }
    return (found, vacated)
  }

  private func names(_ unique: UniqueValues, _ object: SyncObjectID) -> [String] {
    guard let plan = forms[object.entity]?.plan else { return [] }
    return unique.columns.compactMap { name in
      plan.columns.first { $0.name == name }.map { plan.properties[$0.property].name }
    }
  }

  /// Returns the row that has the values now.
  private func holder(
    of columns: [Int], _ form: ModelForm, _ values: SyncValues, _ cells: RowCopy,
    _ tables: SideTables
  ) throws -> Int64? {
    var bindings: [SQLValue] = []
    for column in columns {
      let property = form.plan.properties[form.plan.columns[column].property]
      if let relationship = property.relationship {
        guard let key = values[property.name].flatMap(SyncSchema.key),
          let row = try row(
            ofReference: SyncObjectID(relationship.destinationEntity, key), tables)
        else { return nil }
        bindings.append(.integer(row))
      } else {
        bindings.append(cells.value(at: column))
      }
    }
    let condition = columns.map { SQLIdentifier.quoted(form.plan.columns[$0].name) + " = ?" }
    var holder: Int64?
    try tables.forEach(
      "SELECT \"_id\" FROM \(form.table) WHERE \(condition.joined(separator: " AND "))", bindings
    ) { holder = $0[0].integer }
    return holder
  }

  /// Returns the placeholder for a row that gives up its values, until it has its new ones.
  private func vacation(
    of row: Int64, _ object: SyncObjectID, _ unique: UniqueValues, _ values: SyncValues
  ) -> VacatedRow? {
    guard let form = forms[object.entity] else { return nil }
    for (name, old) in zip(unique.columns, unique.values) {
      guard let column = form.plan.columns.firstIndex(where: { $0.name == name }),
        form.value(inColumn: column, of: values) != old
      else { continue }
      return VacatedRow(
        table: form.table, column: name, row: row,
        value: Self.placeholder(form.plan.columns[column]))
    }
    return nil
  }

  private static func placeholder(_ column: ColumnPlan) -> SQLValue {
    if column.isOptional { return .null }
    switch column.kind {
    case .text, .url, .decimal, .json: return .text(UUID().uuidString)
    case .uuid, .data: return .blob(withUnsafeBytes(of: UUID().uuid) { Array($0) })
    case .real, .date: return .real(Double.random(in: -1e300 ... -1e299))
    default: return .integer(Int64.random(in: .min ... .min / 2))
    }
  }
}

extension ModelForm {
  /// The constraints by which two objects with different IDs can collide; they include the key's constraint if several
  /// classes share the key.
  fileprivate var uniqueness: [[Int]] {
    let taking = Set(attributes).union(relationships.map(\.property))
    return plan.uniqueness.filter { columns in
      (plan.family != nil || columns != Array(plan.properties[key].columns))
        && columns.allSatisfy { taking.contains(plan.columns[$0].property) }
    }
  }

  fileprivate func unique(_ columns: [Int], _ values: SyncValues) -> UniqueValues? {
    let found = columns.map { value(inColumn: $0, of: values) }
    // NULL is equal to no value.
    if found.contains(.null) { return nil }
    return UniqueValues(table: table, columns: columns.map { plan.columns[$0].name }, values: found)
  }

  fileprivate func value(inColumn column: Int, of values: SyncValues) -> SyncValue {
    let planned = plan.columns[column]
    var value = values[plan.properties[planned.property].name] ?? .null
    for member in planned.members {
      guard case .object(let members) = value else { return .null }
      value = members[member] ?? .null
    }
    return value
  }
}

extension RowCopy {
  func value(at column: Int) -> SQLValue {
    let cell = cells[column]
    func bytes() -> ArraySlice<UInt8> { arena[Int(cell.bits)..<Int(cell.bits) + cell.count] }
    switch cell.kind {
    case .integer: return .integer(cell.bits)
    case .real: return .real(Double(bitPattern: UInt64(bitPattern: cell.bits)))
    case .text: return .text(String(decoding: bytes(), as: UTF8.self))
    case .blob: return .blob(Array(bytes()))
    case .null: return .null
    }
  }
}
