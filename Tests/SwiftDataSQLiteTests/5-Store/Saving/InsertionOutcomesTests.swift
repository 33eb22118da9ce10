import SwiftData
import SwiftDataCore
import Testing

@testable import SwiftDataSQLite

@Suite("Outcomes of insertions") struct InsertionOutcomesTests {
  private let models = [Entry(1), Entry(2), Entry(3)]

  private func record(
    _ outcomes: inout InsertionOutcomes, _ outcome: WriteOutcome, of position: Int
  ) throws {
    models[position]._$modelState.rowID = try outcome.rowID()
    outcomes.record(outcome, of: models[position])
  }

  @Test("are those that arrive in the order of the models") func ordered() throws {
    var outcomes = InsertionOutcomes(of: models)
    try record(&outcomes, .inserted(4), of: 0)
    try record(&outcomes, .updated(2), of: 1)
    try record(&outcomes, .inserted(5), of: 2)
    #expect(try outcomes.all.map { try $0.rowID() } == [4, 2, 5])
    #expect(outcomes.all.map(\.isInserted) == [true, false, true])
  }

  @Test("are in the order of the models, however they arrive") func unordered() throws {
    var outcomes = InsertionOutcomes(of: models)
    try record(&outcomes, .unchanged(2), of: 1)
    try record(&outcomes, .inserted(4), of: 0)
    try record(&outcomes, .inserted(5), of: 2)
    #expect(try outcomes.all.map { try $0.rowID() } == [4, 2, 5])
    #expect(outcomes.all.map(\.isInserted) == [true, false, true])
  }

  @Test("are counted as a run while models of one class follow each other") func run() {
    final class Kind {}
    let (first, second) = (Kind(), Kind())
    var run = InsertionRun()
    let lengths = [first, first, first, second, first, first].map { kind in
      run.append(ObjectIdentifier(kind))
      return run.length
    }
    #expect(lengths == [0, 1, 2, 0, 0, 1])
  }
}
