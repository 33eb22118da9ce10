import Foundation
import SwiftDataCore

/// The current or future values of an object in columns that are unique together.
private struct UniqueValues: Hashable {
  let table: String
  let columns: [String]
  let values: [SyncValue]
}

/// A row whose unique values are assigned to another row in the same transaction: it gets a placeholder until its own
/// values are written.
struct VacatedRow {
  let plan: EntityPlan
  /// The position of the column in the plan.
  let column: Int
  let row: Int64
  let value: ColumnValue

  func write(_ transaction: any RowWriteTransaction) throws {
    try transaction.set([(row, value)], inColumn: column, of: plan)
  }
}

/// The unique values that an object is going to have in one constraint.
private struct UniqueClaim {
  let object: SyncObjectID
  let form: ModelForm
  let columns: [Int]
  let unique: UniqueValues
  let values: SyncValues
  let cells: RowCopy
  /// The row that has the values now.
  var holder: Int64?
  /// Whether that row is the object's own.
  var isOwn = false
}

extension ModelAccess {
  /// Finds writes that would give two objects the same values of unique properties.
  ///
  /// - Parameter isChained: Whether writes count that others hold up which can't be performed themselves.
  /// - Returns: The writes that can't be performed, and the rows to change before the others are written.
  func duplicates(
    in planned: PlannedValues, isChained: Bool = false, _ transaction: any RowReadTransaction
  ) throws -> (found: [SyncObjectID: SyncObstacle], vacated: [VacatedRow]) {
    let claims = try claims(in: planned, transaction)
    guard !claims.isEmpty else { return ([:], []) }
    let others = try others(than: claims, transaction)
    var found: [SyncObjectID: SyncObstacle] = [:]
    var vacated: [VacatedRow] = []
    var owners: [UniqueValues: SyncObjectID] = [:]
    // The claims of values that an object gives up.
    var successors: [SyncObjectID: [UniqueClaim]] = [:]
    // Objects that keep their values take precedence.
    for claim in claims.filter(\.isOwn) + claims.filter({ !$0.isOwn }) {
      if let owner = owners[claim.unique], owner != claim.object {
        found[claim.object] = .duplicate(of: owner, properties: names(claim.unique, claim.object))
        continue
      }
      if let holder = claim.holder, !claim.isOwn {
        let other = others[claim.form.plan.table]?[holder]
        guard let other, let values = planned[other] else {
          found[claim.object] = .duplicate(
            of: other ?? SyncObjectID(claim.form.plan.table, ""),
            properties: names(claim.unique, claim.object))
          continue
        }
        if isChained { successors[other, default: []].append(claim) }
        if let values, claim.form.plan.uniqueness.contains(claim.columns),
          let row = vacation(of: holder, other, claim.unique, values)
        {
          vacated.append(row)
        }
      }
      owners[claim.unique] = claim.object
    }
    var next = Array(successors.keys.filter { found[$0] != nil })
    while let object = next.popLast() {
      for claim in successors[object] ?? [] where found[claim.object] == nil {
        found[claim.object] = .duplicate(of: object, properties: names(claim.unique, claim.object))
        next.append(claim.object)
      }
    }
    return (found, vacated)
  }

  /// Returns the unique values of all planned objects, with the rows that have them now.
  private func claims(
    in planned: PlannedValues, _ transaction: any RowReadTransaction
  ) throws -> [UniqueClaim] {
    var claims: [UniqueClaim] = []
    for object in planned.order {
      guard case .some(.some(let values)) = planned[object], let form = forms[object.entity] else {
        continue
      }
      let constraints = form.uniqueness
      guard !constraints.isEmpty, let cells = try form.row(values) else { continue }
      for columns in constraints {
        guard let unique = form.unique(columns, values) else { continue }
        claims.append(
          UniqueClaim(
            object: object, form: form, columns: columns, unique: unique, values: values,
            cells: cells))
      }
    }
    guard !claims.isEmpty else { return [] }
    let rows = try rows(of: Set(claims.map(\.object)), transaction)
    let references = try self.rows(
      ofReferences: Set(claims.flatMap { self.references(of: $0) }), transaction)
    let constraints = Dictionary(grouping: claims.indices) { index in
      UniqueConstraint(entity: claims[index].form.entity, columns: claims[index].columns)
    }
    for (constraint, indices) in constraints {
      guard let plan = forms[constraint.entity]?.plan else { continue }
      var searched: [(claim: Int, values: [ColumnValue])] = []
      for index in indices {
        if let values = columnValues(of: claims[index], references) {
          searched.append((index, values))
        }
      }
      try transaction.forEachMatch(
        of: plan, columns: constraint.columns, with: searched.map(\.values)
      ) { position, row in
        let claim = searched[position].claim
        claims[claim].holder = row
        claims[claim].isOwn = rows[claims[claim].object] == row
      }
    }
    return claims
  }

  private struct UniqueConstraint: Hashable {
    let entity: String
    let columns: [Int]
  }

  /// Returns the objects to which the relationships among a claim's values refer.
  private func references(of claim: UniqueClaim) -> [SyncObjectID] {
    claim.columns.compactMap { column in
      let property = claim.form.plan.properties[claim.form.plan.columns[column].property]
      guard let relationship = property.relationship,
        let key = claim.values[property.name].flatMap(SyncSchema.key)
      else { return nil }
      return SyncObjectID(relationship.destinationEntity, key)
    }
  }

  /// Returns the values that a claim's columns are going to hold; nil when a destination doesn't exist.
  private func columnValues(
    of claim: UniqueClaim, _ references: [SyncObjectID: Int64]
  ) -> [ColumnValue]? {
    var found: [ColumnValue] = []
    for column in claim.columns {
      let property = claim.form.plan.properties[claim.form.plan.columns[column].property]
      if let relationship = property.relationship {
        guard let key = claim.values[property.name].flatMap(SyncSchema.key),
          let row = references[SyncObjectID(relationship.destinationEntity, key)]
        else { return nil }
        found.append(.integer(row))
      } else {
        found.append(claim.cells.value(at: column))
      }
    }
    return found
  }

  /// Returns the objects of the rows that have claimed values and belong to other objects, by table and row.
  private func others(
    than claims: [UniqueClaim], _ transaction: any RowReadTransaction
  ) throws -> [String: [Int64: SyncObjectID]] {
    let taken = claims.filter { $0.holder != nil && !$0.isOwn }
    var others: [String: [Int64: SyncObjectID]] = [:]
    for (table, claims) in Dictionary(grouping: taken, by: \.form.plan.table) {
      guard let entity = claims.first?.form.entity else { continue }
      others[table] = try objects(
        inRows: Set(claims.compactMap(\.holder)), of: entity, transaction)
    }
    return others
  }

  private func names(_ unique: UniqueValues, _ object: SyncObjectID) -> [String] {
    guard let plan = forms[object.entity]?.plan else { return [] }
    return unique.columns.compactMap { name in
      plan.columns.first { $0.name == name }.map { plan.properties[$0.property].name }
    }
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
        plan: form.plan, column: column, row: row,
        value: Self.placeholder(form.plan.columns[column]))
    }
    return nil
  }

  private static func placeholder(_ column: ColumnPlan) -> ColumnValue {
    if column.isOptional { return .null }
    switch column.kind {
    case .text, .url, .decimal, .json: return .text(UUID().uuidString)
    case .uuid, .data: return .blob(withUnsafeBytes(of: UUID().uuid) { Array($0) })
    case .real, .date: return .real(Double.random(in: -1e300 ... -1e299))
    default: return .integer(Int64.random(in: .min ... .min / 2))
    }
  }
}

extension ModelAccess {
  /// Whether an object can't be stored beside the one with its former key: because of other unique values, or because a
  /// model at the other end of a relationship may have no further one, or has to keep one.
  func excludesFormerKey(_ entity: String) -> Bool {
    guard let form = forms[entity] else { return false }
    guard form.uniqueness.isEmpty else { return true }
    return form.plan.relationships.contains { index in
      guard let relationship = form.plan.properties[index].relationship else { return false }
      if relationship.isToMany, relationship.minimumModelCount > 0 { return true }
      guard let inverse = relationship.inverse,
        let other = plans[relationship.destinationEntity]?.properties[inverse].relationship
      else { return false }
      return other.isToMany
        ? other.maximumModelCount > 0 : !relationship.isToMany && !relationship.isOptional
    }
  }
}

extension ModelForm {
  fileprivate func unique(_ columns: [Int], _ values: SyncValues) -> UniqueValues? {
    let found = columns.map { value(inColumn: $0, of: values) }
    // NULL is equal to no value.
    if found.contains(.null) { return nil }
    return UniqueValues(
      table: plan.table, columns: columns.map { plan.columns[$0].name }, values: found)
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
  func value(at column: Int) -> ColumnValue {
    let cell = cells[column]
    let hasBytes = cell.kind == .text || cell.kind == .blob
    return ColumnValue(
      cell, hasBytes ? Array(arena[Int(cell.bits)..<Int(cell.bits) + cell.count]) : [])
  }
}
