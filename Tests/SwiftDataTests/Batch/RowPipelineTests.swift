import Foundation
import SwiftData
import SwiftDataCore
import SwiftDataSQLite
import Testing

@testable import SwiftDataExtras

/// A separate thread writes the rows of a long batch. The results must be the same as on a single
/// thread.
@Suite("Batches written concurrently with their creation")
struct RowPipelineTests {
  // A server answers each of the single models.
  @Test(
    "report each model in order, with other calls in between",
    arguments: 0..<StoreKind.rounds(6))
  func order(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let codes = (0..<4_000).map { _ in "\(Int.random(in: 0..<3_000, using: &random))" }
    let magnitudes = codes.map { _ in Double(Int.random(in: 0..<3, using: &random)) }
    let (single, grouped) = (try TemporaryStore(), try TemporaryStore())
    let first = try single.container(Sighting.self).beginBatch(of: Sighting.self)
    let second = try grouped.container(Sighting.self).beginBatch(of: Sighting.self)
    var (expected, found): ([String], [String]) = ([], [])
    func note(_ written: [WriteOutcome]) throws {
      found += try written.map { "\(try BatchUpsert<Sighting>.Outcome($0))" }
    }
    for (number, (code, magnitude)) in zip(codes, magnitudes).enumerated() {
      try expected.append(
        "\(BatchUpsert<Sighting>.Outcome(first.upsert(Sighting(code, magnitude, nil))))")
      switch Int.random(in: 0..<400, using: &random) {
      case 0: try note(second.writeBuffered())
      case 1: try second.setMetadata(Data([UInt8(number % 256)]), forKey: "key")
      case 2:
        try note(second.writeBuffered())
        try note([second.upsert(Sighting(code, magnitude, nil))])
        continue
      default: break
      }
      try note(second.add(Sighting(code, magnitude, nil)))
    }
    try note(second.writeBuffered())
    #expect(found == expected)
    #expect(try second.commit() == first.commit())
    func content(_ store: TemporaryStore) throws -> [String?] {
      try store.values(
        "SELECT _id || ' ' || code || ' ' || magnitude FROM \"Sighting\" ORDER BY _id")
    }
    #expect(try content(grouped) == content(single))
  }

  @Test(
    "of rows that are there come out as one after the other would",
    arguments: 0..<StoreKind.rounds(8))
  func again(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let (single, grouped) = (try TemporaryStore(), try TemporaryStore())
    // In the order of the rows, reversed, with some left out, with some added, or in random order.
    var codes = (0..<3_000).map { "\($0)" }
    for round in 0..<4 {
      if round > 0 {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: codes.reverse()
        case 1: codes.removeAll { _ in Int.random(in: 0..<20, using: &random) == 0 }
        case 2:
          for _ in 0..<100 {
            let place = Int.random(in: 0..<codes.count, using: &random)
            codes.insert("\(round) \(place)", at: place)
          }
        default: codes.shuffle(using: &random)
        }
      }
      let magnitudes = codes.map { _ in Double(Int.random(in: 0..<20, using: &random) / 19) }
      let first = try BatchUpsert<Sighting>(try single.container(Sighting.self))
      for (code, magnitude) in zip(codes, magnitudes) {
        try first.upsert(Sighting(code, magnitude, nil))
      }
      let container = try grouped.container(Sighting.self)
      let summary = try container.batchInsert(
        zip(codes, magnitudes).lazy.map { Sighting($0, $1, nil) })
      #expect(try first.commit() == summary)
      // A container on a server may leave IDs out.
      let query =
        "SELECT row_number() OVER (ORDER BY _id) || ' ' || code || ' ' || magnitude"
        + " FROM \"Sighting\" ORDER BY _id"
      #expect(try grouped.values(query) == single.values(query))
    }
  }

  @Test("that are dropped store nothing and hold no lock")
  func letGo() throws {
    let store = try TemporaryStore()
    let container = try store.container(Sighting.self)
    for count in [600, 2_000] {
      let batch = try container.beginBatch(of: Sighting.self)
      for number in 0..<count { _ = try batch.add(Sighting("\(number)", 0, nil)) }
    }
    let batch = try container.beginBatch(of: Sighting.self)
    for number in 0..<1_000 { _ = try batch.add(Sighting("\(number)", 0, nil)) }
    batch.rollback()
    #expect(throws: StoreError.self) { try batch.add(Sighting("late", 0, nil)) }
    try container.batchInsert([Sighting("only", 0, nil)])
    #expect(try store.value("SELECT count(*) FROM \"Sighting\"") == "1")
  }

  @Test("end with the error of the model's creation, and store nothing then")
  func failure() throws {
    struct Failure: Error {}
    let store = try TemporaryStore()
    let container = try store.container(Sighting.self)
    var count = 0
    #expect(throws: Failure.self) {
      try container.batchInsert { () throws -> Sighting? in
        count += 1
        if count == 5_000 { throw Failure() }
        return Sighting("\(count)", 0, nil)
      }
    }
    #expect(try store.value("SELECT count(*) FROM \"Sighting\"") == "0")
  }

  @Test(
    "leave no log behind when they and their container have ended",
    .enabled(if: StoreKind.tested == .sqlite, "is about files"))
  func closing() throws {
    let store = try TemporaryStore()
    for round in 0..<20 {
      do {
        let container = try store.container(Sighting.self)
        let batch = try container.beginBatch(of: Sighting.self)
        for number in 0..<1_000 { _ = try batch.add(Sighting("\(number)", Double(round), nil)) }
        if round.isMultiple(of: 2) { try batch.commit() } else { batch.rollback() }
      }
      #expect(!FileManager.default.fileExists(atPath: store.file.path + "-wal"))
    }
  }
}
