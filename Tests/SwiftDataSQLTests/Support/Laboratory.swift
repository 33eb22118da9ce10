import Foundation
import SwiftDataCore
import SwiftDataSQL
import Testing

/// The same specimens in memory and in a database, so that results can be compared.
final class Laboratory {
  let plan: EntityPlan
  let owners: EntityPlan
  let plans: [ObjectIdentifier: EntityPlan]
  let database: SQLiteDatabase
  private(set) var specimens: [Specimen] = []
  let translator: PredicateTranslator
  let sorter: SortTranslator

  init(_ specimens: [Specimen] = Samples.specimens()) throws {
    plan = try EntityPlan.plans(of: [Specimen.self, Owner.self])[0]
    owners = try EntityPlan.plans(of: [Owner.self, Specimen.self])[0]
    plans = [ObjectIdentifier(Specimen.self): plan, ObjectIdentifier(Owner.self): owners]
    database = try SQLiteDatabase()
    translator = PredicateTranslator(plan: plan, plans: plans, dialect: SQLiteDialect())
    sorter = SortTranslator(plan: plan, plans: plans, dialect: SQLiteDialect())
    for plan in [owners, plan] {
      for statement in TableDefinition.statements(
        for: plan, plans: plans, dialect: SQLiteDialect())
      {
        try database.execute(statement)
      }
    }
    var known: [Owner] = []
    for specimen in specimens {
      var next = specimen.owner
      var chain: [Owner] = []
      while let owner = next, !known.contains(where: { $0 === owner }) {
        known.append(owner)
        chain.append(owner)
        next = owner.parent
      }
      for owner in chain.reversed() { try insert(owner, owners) }
      try insert(specimen, plan)
      self.specimens.append(specimen)
    }
  }

  private func insert(_ model: some PersistentModel, _ plan: EntityPlan) throws {
    var writer = _RowWriter(plan: plan)
    writer.begin(model._$modelState)
    model._$encode(into: &writer)
    if let failure = writer.failure { throw failure }
    var values: [SQLValue] = []
    for cell in writer.cells {
      switch cell.kind {
      case .null: values.append(.null)
      case .integer: values.append(.integer(cell.bits))
      case .real: values.append(.real(Double(bitPattern: UInt64(bitPattern: cell.bits))))
      case .text: values.append(.text(String(decoding: writer.bytes(of: cell), as: UTF8.self)))
      case .blob: values.append(.blob(Array(writer.bytes(of: cell))))
      }
    }
    let marks = Array(repeating: "?", count: values.count).joined(separator: ",")
    let columns = plan.columns.map { SQLIdentifier.quoted($0.name) }.joined(separator: ",")
    let table = SQLIdentifier.quoted(plan.name)
    let rows = try database.rows(
      "INSERT INTO \(table) (\(columns)) VALUES (\(marks)) RETURNING _id", values)
    model._$modelState.plan = plan
    model._$modelState.rowID = Int64(try #require(rows.first?.first ?? nil)) ?? 0
  }

  /// Returns the row IDs that the SQL selects.
  func rowIDs(_ translated: TranslatedPredicate) throws -> [Int64] {
    var sql = "SELECT t0._id FROM \"Specimen\" AS t0"
    if let condition = translated.condition { sql += " WHERE \(condition.sql)" }
    return try database.rows(sql + " ORDER BY 1", translated.condition?.bindings ?? [])
      .compactMap { Int64($0[0] ?? "") }
  }

  /// Returns SQLite's query plan for a predicate.
  func queryPlan(_ predicate: Predicate<Specimen>) throws -> String {
    let translated = try translator.translate(LoweredPredicate(predicate))
    let condition = try #require(translated.condition)
    return try database.rows(
      "EXPLAIN QUERY PLAN SELECT * FROM \"Specimen\" AS t0 WHERE \(condition.sql)",
      condition.bindings, columns: 4
    ).compactMap { $0[3] }.joined(separator: "; ")
  }

  /// Checks that SQL selects the same rows as `predicate.evaluate`, or at least those where the
  /// translation isn't exact, and that no truth value is NULL.
  func check(
    _ predicate: Predicate<Specimen>, isExact: Bool? = true,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let translated = try translator.translate(LoweredPredicate(predicate))
    if let isExact {
      #expect(
        translated.isExact == isExact, "\(translated.reasons)", sourceLocation: sourceLocation)
    }
    let found = try rowIDs(translated)
    let expected = try specimens.filter { try predicate.evaluate($0) }.map(\.state.rowID)
    let sql = translated.condition?.sql ?? "(all)"
    if translated.isExact {
      #expect(found == expected, "\(sql)", sourceLocation: sourceLocation)
    } else {
      #expect(Set(found).isSuperset(of: expected), "\(sql)", sourceLocation: sourceLocation)
    }
    guard let condition = translated.condition else { return }
    let odd = try database.rows(
      "SELECT count(*) FROM \"Specimen\" AS t0 WHERE (\(condition.sql)) IS NULL"
        + " OR (\(condition.sql)) NOT IN (0, 1)", condition.bindings + condition.bindings)
    #expect(odd == [["0"]], "\(sql) is NULL somewhere", sourceLocation: sourceLocation)
  }
}
