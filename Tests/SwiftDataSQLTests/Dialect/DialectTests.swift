import Foundation
import Testing

@testable import SwiftDataCore
@testable import SwiftDataSQL

@Suite("Texts that differ between databases come from the dialect")
struct DialectTests {
  private let dialect = ServerDialect()
  private let specimens: EntityPlan
  private let owners: EntityPlan
  private let plans: [ObjectIdentifier: EntityPlan]

  init() throws {
    specimens = try EntityPlan.plans(of: [Specimen.self, Owner.self])[0]
    owners = try EntityPlan.plans(of: [Owner.self, Specimen.self])[0]
    plans = [ObjectIdentifier(Specimen.self): specimens, ObjectIdentifier(Owner.self): owners]
  }

  private func translate(_ predicate: Predicate<Specimen>) throws -> TranslatedPredicate {
    PredicateTranslator(plan: specimens, plans: plans, dialect: dialect)
      .translate(try LoweredPredicate(predicate))
  }

  private func expect(
    _ predicate: Predicate<Specimen>, _ sql: String?, isExact: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let translated = try translate(predicate)
    #expect(translated.condition?.sql == sql, sourceLocation: sourceLocation)
    #expect(
      translated.isExact == isExact, "\(translated.reasons)", sourceLocation: sourceLocation)
  }

  @Test("truth values")
  func truthValues() throws {
    let none: [Int] = []
    try expect(#Predicate { $0.isOpen }, #"t0."isOpen" = TRUE"#)
    try expect(#Predicate { !$0.isOpen }, #"t0."isOpen" = FALSE"#)
    try expect(#Predicate { none.contains($0.count) }, "FALSE")
    try expect(
      #Predicate { $0.count + 1 > 5 && $0.isOpen },
      #"CASE WHEN (t0."count" + ?) > ? THEN t0."isOpen" = TRUE ELSE FALSE END"#)
    try expect(
      #Predicate { $0.count + 1 > 5 || $0.isOpen },
      #"CASE WHEN (t0."count" + ?) > ? THEN TRUE ELSE t0."isOpen" = TRUE END"#)
  }

  @Test("equality with nil, and an alternative to it")
  func equality() throws {
    let rank: Int? = 5
    let number = 5
    try expect(#Predicate { $0.count == number }, #"t0."count" = ?"#)
    try expect(#Predicate { $0.rank == rank }, #"t0."rank" IS NOT DISTINCT FROM ?"#)
    try expect(#Predicate { $0.rank != rank }, #"t0."rank" IS DISTINCT FROM ?"#)
    try expect(
      #Predicate { ($0.rank ?? $0.count) <= number }, #"COALESCE(t0."rank", t0."count") <= ?"#)
  }

  @Test("NaN")
  func numbers() throws {
    let number = 1.5
    let date = Date(timeIntervalSinceReferenceDate: 5)
    try expect(#Predicate { $0.size < number }, #"t0."size" < ?"#)
    try expect(#Predicate { $0.size > number }, #"t0."size" > ? AND t0."size" <> 'NaN'"#)
    try expect(#Predicate { $0.date <= date }, #"t0."date" <= ? OR t0."date" = 'NaN'"#)
    try expect(#Predicate { -$0.size < number }, #"(-t0."size") < ?"#)
    try expect(#Predicate { $0.size + number < number }, #"(t0."size" + ?) < ?"#)
  }

  @Test("texts")
  func texts() throws {
    let plain = "a"
    let composed = "é"
    try expect(#Predicate { $0.name == plain }, #"t0."name" = ?"#)
    try expect(
      #Predicate { $0.name == composed }, #"normalize(t0."name", NFC) = normalize(?, NFC)"#)
    try expect(
      #Predicate { $0.name < plain }, #"normalize(t0."name", NFC) < normalize(?, NFC)"#)
    try expect(
      #Predicate { ($0.name == composed ? $0.count : 5) == 5 },
      #"(CASE WHEN normalize(t0."name", NFC) = normalize(?, NFC) THEN t0."count" ELSE ? END) = ?"#)
    try expect(#Predicate { $0.name.localizedStandardContains(plain) }, nil, isExact: false)
    try expect(#Predicate { $0.name.count > 5 }, nil, isExact: false)
  }

  @Test("a search that finds too many texts is used where it may")
  func supersets() throws {
    let part = "b"
    let found =
      #"position(? IN t0."name") > 0"#
      + #" AND position(normalize(?, NFC) IN normalize(t0."name", NFC)) > 0"#
    try expect(#Predicate { $0.name.contains(part) }, found, isExact: false)
    try expect(
      #Predicate { $0.isOpen && $0.name.contains(part) }, #"t0."isOpen" = TRUE AND "# + found,
      isExact: false)
    try expect(
      #Predicate { $0.isOpen && !$0.name.contains(part) }, #"t0."isOpen" = TRUE"#, isExact: false)
    #expect(
      try translate(#Predicate { $0.name.contains(part) }).reasons
        == ["characters may end inside the part"])
  }

  @Test("lists and data")
  func lists() throws {
    let numbers = [1, 5]
    let number = 5
    try expect(
      #Predicate { numbers.contains($0.count) }, #"t0."count" = ANY (ARRAY[?, ?])"#)
    try expect(
      #Predicate { $0.numbers.contains(number) }, #"t0."numbers"::jsonb @> to_jsonb(?)"#)
    try expect(
      #Predicate { $0.numbers.contains { $0 > number } },
      #"EXISTS (SELECT 1 FROM jsonb_array_elements_text(t0."numbers"::jsonb) AS r1(value)"#
        + " WHERE r1.value::bigint > ?)")
    try expect(#Predicate { $0.data.count >= number }, #"octet_length(t0."data") >= ?"#)
    try expect(#Predicate { !$0.data.isEmpty }, #"NOT ((t0."data" = ''::bytea) = TRUE)"#)
  }

  @Test("orders")
  func orders() throws {
    let translator = SortTranslator(plan: specimens, plans: plans, dialect: dialect)
    func terms(_ sort: SortDescriptor<Specimen>) throws -> String? {
      try translator.translate([sort]).terms?.sql
    }
    #expect(try terms(SortDescriptor(\.rank)) == #"t0."rank" NULLS FIRST"#)
    #expect(try terms(SortDescriptor(\.rank, order: .reverse)) == #"t0."rank" DESC NULLS LAST"#)
    #expect(
      try terms(SortDescriptor(\.name, comparator: .lexical))
        == #"normalize(t0."name", NFC) NULLS FIRST"#)
    #expect(try terms(SortDescriptor(\.name)) == nil)
  }

  @Test("aggregates that the database lacks are computed from the models")
  func aggregates() throws {
    let translator = AggregateTranslator(
      plan: specimens, plans: plans, changed: [], dialect: dialect)
    let keys = try translator.translate(
      StoreAggregation(terms: [], groupedBy: \Specimen.count))
    #expect(keys.grouping?.sql == #"t0."count""#)
    #expect(throws: Untranslatable.self) {
      try translator.translate(StoreAggregation(terms: [], groupedBy: \Specimen.name))
    }
    let least = try translator.translate(
      StoreAggregation(
        terms: [AggregateTerm(function: .minimum, keyPath: \Specimen.count)], groupedBy: nil))
    #expect(least.columns.sql == #"least_of(t0."count")"#)
    let total = StoreAggregation(
      terms: [AggregateTerm(function: .total, keyPath: \Specimen.count)], groupedBy: nil)
    #expect(throws: Untranslatable.self) { try translator.translate(total) }
  }

  @Test("tables, and objects beside them")
  func schema() throws {
    let objects = DatabaseObject.all(of: owners, plans: plans, dialect: dialect)
    #expect(
      objects.first?.statement == """
        CREATE TABLE "Owner" (
          "_id" bigint PRIMARY KEY,
          "name" text NOT NULL,
          "age" bigint,
          "home_name" text NOT NULL,
          "home_note" text,
          "home_depth" double precision,
          "home_point_latitude" double precision NOT NULL,
          "home_point_longitude" double precision,
          "home_isNear" boolean NOT NULL,
          "parent" bigint REFERENCES "Owner" ("_id") ON DELETE SET NULL
        )
        """)
    #expect(!objects.contains { $0.kind == .trigger })
    let own = DatabaseObject.all(of: owners, plans: plans, dialect: SQLiteDialect())
    #expect(own.contains { $0.kind == .trigger })
  }

  @Test("values of migrated columns")
  func conversions() throws {
    func column(_ kind: ColumnKind, _ type: String) -> ColumnDescription {
      ColumnDescription(
        name: "c", kind: kind, type: type, isOptional: false, members: [], definition: "",
        check: nil)
    }
    let conversion = try #require(
      ValueConversion(
        from: column(.integer, "Int"), to: column(.text, "String"), dialect: dialect))
    #expect(conversion.expression("x") == "x::text")
    #expect(!conversion.isIdentity)
  }
}
