import Foundation
import SwiftDataCore
import SwiftDataSQL
import Testing

@Suite("ORDER BY and the order in memory are one")
struct SortTests {
  let laboratory: Laboratory

  init() throws { laboratory = try Laboratory() }

  private func expectSameOrder(
    _ sort: [SortDescriptor<Specimen>], _ sql: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let order = try laboratory.sorter.translate(sort)
    #expect(order.isExact, sourceLocation: sourceLocation)
    let terms = try #require(order.terms)
    #expect(terms.sql == sql, sourceLocation: sourceLocation)
    let found = try laboratory.database.rows(
      "SELECT t0._id FROM \"Specimen\" AS t0 ORDER BY \(terms.sql), t0._id", terms.bindings
    ).compactMap { Int64($0[0] ?? "") }
    let comparison = try SortComparison(sort)
    let expected = laboratory.specimens.sorted { left, right in
      switch comparison.compare(left, right) {
      case .orderedAscending: true
      case .orderedDescending: false
      case .orderedSame: left.state.rowID < right.state.rowID
      }
    }.map(\.state.rowID)
    #expect(found == expected, sourceLocation: sourceLocation)
  }

  @Test func numbersAndDatesWithNilFirstAndNaNLast() throws {
    try expectSameOrder([SortDescriptor(\.count)], #"t0."count""#)
    try expectSameOrder([SortDescriptor(\.rank)], #"t0."rank""#)
    try expectSameOrder([SortDescriptor(\.rank, order: .reverse)], #"t0."rank" DESC"#)
    try expectSameOrder([SortDescriptor(\.size)], #"t0."size""#)
    try expectSameOrder([SortDescriptor(\.depth, order: .reverse)], #"t0."depth" DESC"#)
    try expectSameOrder([SortDescriptor(\.ratio)], #"t0."ratio""#)
    try expectSameOrder([SortDescriptor(\.big)], #"t0."big""#)
    try expectSameOrder([SortDescriptor(\.date)], #"t0."date""#)
    try expectSameOrder([SortDescriptor(\.updated, order: .reverse)], #"t0."updated" DESC"#)
    try expectSameOrder([SortDescriptor(\.key)], #"t0."key""#)
    try expectSameOrder([SortDescriptor(\.price)], #"t0."price" COLLATE OSD_DECIMAL"#)
  }

  @Test func textsAsPeopleReadThemUnlessLexical() throws {
    try expectSameOrder([SortDescriptor(\.name)], #"t0."name" COLLATE OSD_LOCALIZED"#)
    try expectSameOrder(
      [SortDescriptor(\.note, order: .reverse)], #"t0."note" COLLATE OSD_LOCALIZED DESC"#)
    try expectSameOrder(
      [SortDescriptor(\.name, comparator: .lexical)], #"t0."name" COLLATE OSD_UNICODE"#)
    try expectSameOrder(
      [SortDescriptor(\.note, comparator: .lexical, order: .reverse)],
      #"t0."note" COLLATE OSD_UNICODE DESC"#)
    try expectSameOrder(
      [SortDescriptor(\.name, comparator: .localizedStandard)],
      #"t0."name" COLLATE OSD_LOCALIZED"#)
    try expectSameOrder(
      [SortDescriptor(\.name, comparator: .localized, order: .reverse)],
      #"t0."name" COLLATE OSD_LOCALIZED_PLAIN DESC"#)
  }

  @Test func severalKeysAndMembersOfStructures() throws {
    try expectSameOrder(
      [SortDescriptor(\.small), SortDescriptor(\.count, order: .reverse)],
      #"t0."small", t0."count" DESC"#)
    try expectSameOrder(
      [SortDescriptor(\.place.name), SortDescriptor(\.place.point.latitude)],
      #"t0."place_name" COLLATE OSD_LOCALIZED, t0."place_point_latitude""#)
    try expectSameOrder([SortDescriptor(\.origin?.depth)], #"t0."origin_depth""#)
  }

  @Test func propertiesWithoutAColumnAreSortedInMemory() throws {
    let order = try laboratory.sorter.translate([SortDescriptor<Specimen>(\.words.count)])
    #expect(!order.isExact && order.terms == nil)
    let none = try laboratory.sorter.translate([SortDescriptor<Specimen>]())
    #expect(none.isExact && none.terms == nil)
  }
}
