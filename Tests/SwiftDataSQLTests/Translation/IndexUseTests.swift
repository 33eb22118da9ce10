import Foundation
import SwiftDataCore
import SwiftDataSQL
import Testing

@Suite("The common forms leave the work to an index")
struct IndexUseTests {
  let laboratory: Laboratory

  init() throws { laboratory = try Laboratory() }

  private func expect(
    _ predicate: Predicate<Specimen>, _ sql: String, uses index: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let translated = try laboratory.translator.translate(LoweredPredicate(predicate))
    #expect(translated.condition?.sql == sql, sourceLocation: sourceLocation)
    let plan = try laboratory.queryPlan(predicate)
    #expect(plan.contains(index), "\(plan)", sourceLocation: sourceLocation)
  }

  @Test func equality() throws {
    let code = "us7000"
    let kind = Kind.ice
    try expect(
      #Predicate { $0.code == code }, #"t0."code" = ?"#,
      uses: "SEARCH t0 USING INDEX Specimen_code_unique (code=?)")
    try expect(
      #Predicate { $0.count == 3 }, #"t0."count" = ?"#,
      uses: "SEARCH t0 USING INDEX Specimen_count_index (count=?)")
    try expect(
      #Predicate { $0.rank == 3 }, #"t0."rank" IS ?"#,
      uses: "SEARCH t0 USING INDEX Specimen_rank_index (rank=?)")
    try expect(
      #Predicate { $0.rank == nil }, #"t0."rank" IS NULL"#,
      uses: "SEARCH t0 USING INDEX Specimen_rank_index (rank=?)")
    try expect(
      #Predicate { $0.kind == kind }, #"t0."kind" = ?"#,
      uses: "SEARCH t0 USING INDEX Specimen_kind_index (kind=?)")
    try expect(
      #Predicate { $0.isOpen }, #"t0."isOpen" = 1"#,
      uses: "SEARCH t0 USING INDEX Specimen_isOpen_index (isOpen=?)")
    try expect(
      #Predicate { !$0.isOpen }, #"t0."isOpen" = 0"#,
      uses: "SEARCH t0 USING INDEX Specimen_isOpen_index (isOpen=?)")
    try expect(
      #Predicate { $0.place.name == "a" }, #"t0."place_name" = ?"#,
      uses: "SEARCH t0 USING INDEX Specimen_place_name_index (place_name=?)")
  }

  @Test func ranges() throws {
    let date = Date(timeIntervalSinceReferenceDate: 0)
    try expect(
      #Predicate { $0.size >= 2.5 }, #"t0."size" >= ? AND t0."size" < ''"#,
      uses: "SEARCH t0 USING INDEX Specimen_size_index (size>? AND size<?)")
    try expect(
      #Predicate { $0.size >= 1 && $0.size < 5 },
      #"t0."size" >= ? AND t0."size" < '' AND t0."size" < ?"#,
      uses: "SEARCH t0 USING INDEX Specimen_size_index (size>? AND size<?)")
    try expect(
      #Predicate { $0.date >= date }, #"t0."date" >= ?"#,
      uses: "SEARCH t0 USING INDEX Specimen_date_index (date>?)")
    try expect(
      #Predicate { ($0.depth ?? 0) > 70 },
      #"t0."depth" IS NOT NULL AND t0."depth" > ? AND t0."depth" < ''"#,
      uses: "SEARCH t0 USING INDEX Specimen_depth_index (depth>? AND depth<?)")
  }

  @Test func listsAndBeginnings() throws {
    let numbers = [1, 2, 3]
    let many = Array(0..<500)
    try expect(
      #Predicate { numbers.contains($0.count) }, #"t0."count" IN (?,?,?,?)"#,
      uses: "SEARCH t0 USING INDEX Specimen_count_index (count=?)")
    try expect(
      #Predicate { many.contains($0.count) },
      #"t0."count" IN (SELECT value FROM json_each(?))"#,
      uses: "SEARCH t0 USING INDEX Specimen_count_index (count=?)")
    try expect(
      #Predicate { $0.name.starts(with: "item") },
      #"t0."name" >= ? AND t0."name" < ? AND osd_starts_with(t0."name", ?)"#,
      uses: "SEARCH t0 USING INDEX Specimen_name_index (name>? AND name<?)")
    try expect(
      #Predicate { $0.name == "Rio São" },
      #"t0."name" >= ? AND t0."name" < ? AND t0."name" COLLATE OSD_UNICODE = ?"#,
      uses: "SEARCH t0 USING INDEX Specimen_name_index (name>? AND name<?)")
  }

  @Test func identity() throws {
    let id = laboratory.specimens[0].persistentModelID
    try expect(
      #Predicate { $0.persistentModelID == id }, #"t0."_id" = ?"#,
      uses: "SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)")
  }
}
