import Foundation
import SwiftData
import SwiftDataExtras
import Testing

@Model
private final class Meter {
  var name: String
  @Relationship(inverse: \MeterReading.gauge) var readings: [MeterReading] = []

  init(_ name: String) { self.name = name }
}

@Model
private final class MeterReading {
  var value: Int
  var gauge: Meter?
  /// A relationship without an inverse.
  var former: Meter?

  init(_ value: Int, _ gauge: Meter? = nil, former: Meter? = nil) {
    self.value = value
    self.gauge = gauge
    self.former = former
  }
}

/// Leads to a reading that doesn't lead back.
@Model
private final class MeterNote {
  var reading: MeterReading?

  init(_ reading: MeterReading?) { self.reading = reading }
}

/// Setting a relationship to a model of a context takes a new model into that context. A batch takes it out again.
@Suite("A batch of models that lead to a model of a context")
struct LinkedBatchTests {
  private let container: ModelContainer
  private let context: ModelContext
  private let gauge: Meter

  init() throws {
    container = try memoryContainer(Meter.self, MeterReading.self, MeterNote.self)
    let context = ModelContext(container)
    context.insert(Meter("a"))
    try context.save()
    self.context = context
    gauge = try context.fetch(FetchDescriptor<Meter>())[0]
  }

  private func values() throws -> [Int] {
    try ModelContext(container).fetch(FetchDescriptor<MeterReading>()).map(\.value).sorted()
  }

  @Test("is the only one that writes them", arguments: [false, true], [false, true])
  func once(hasInverse: Bool, isListRead: Bool) throws {
    if isListRead { #expect(gauge.readings.isEmpty) }
    let summary = try container.batchInsert(
      (0..<5).lazy.map { hasInverse ? MeterReading($0, gauge) : MeterReading($0, former: gauge) })
    #expect(summary.inserted == 5)
    #expect(!context.hasChanges)
    try context.save()
    #expect(try values() == Array(0..<5))
    #expect(gauge.readings.map(\.value).sorted() == (hasInverse ? Array(0..<5) : []))
    let stored = try context.fetch(FetchDescriptor<MeterReading>())
    #expect(stored.allSatisfy { (hasInverse ? $0.gauge : $0.former) === gauge })
    try container.batchDelete(MeterReading.self)
    try context.save()
    #expect(try values().isEmpty)
    #expect(gauge.readings.isEmpty)
  }

  @Test("leaves the context what it has to save itself")
  func others() throws {
    let own = MeterReading(100, gauge)
    try container.batchInsert((0..<3).lazy.map { MeterReading($0, gauge) })
    #expect(context.insertedModelsArray.count == 1 && context.insertedModelsArray.first === own)
    // The list is read now, when the batch is committed.
    #expect(gauge.readings.map(\.value).sorted() == [0, 1, 2, 100])
    gauge.name = "b"
    try context.save()
    #expect(try values() == [0, 1, 2, 100])
    #expect(gauge.readings.map(\.value).sorted() == [0, 1, 2, 100])
  }

  @Test("takes them out of a list that has been read")
  func readList() throws {
    let models = (0..<3).map { MeterReading($0, gauge) }
    #expect(gauge.readings.count == 3)
    try container.batchInsert(models)
    #expect(context.insertedModelsArray.isEmpty)
    #expect(models.allSatisfy { $0.modelContext == nil && $0.gauge === gauge })
    try context.save()
    #expect(try values() == [0, 1, 2])
    #expect(gauge.readings.map(\.value).sorted() == [0, 1, 2])
  }

  @Test("refuses a model with a list, which would be lost", arguments: [false, true])
  func list(isStored: Bool) throws {
    let meter = Meter("b")
    let reading = MeterReading(1)
    if isStored {
      context.insert(reading)
      try context.save()
    }
    meter.readings = [reading]
    for _ in 0..<2 {
      do {
        _ = try container.batchInsert([Meter("c"), meter])
        Issue.record("the list was lost")
      } catch let error as SwiftDataError {
        #expect(error == .modelValidationFailure && "\(error)".contains("Meter.readings"))
      }
    }
    #expect(try ModelContext(container).fetch(FetchDescriptor<Meter>()).map(\.name) == ["a"])
    // A stored model has its links.
    #expect(try values() == (isStored ? [1] : []))
    context.insert(meter)
    try context.save()
    _ = try container.batchInsert([Meter("c")])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Meter>()) == 3)
    #expect(try values() == [1])
  }

  @Test("refuses one that others lead to, and one that leads to a new one")
  func referred() throws {
    let (first, second) = (MeterReading(1, gauge), MeterReading(2, gauge))
    context.insert(MeterNote(first))
    let note = MeterNote(nil)
    context.insert(note)
    note.reading = second
    let meter = Meter("b")
    let third = MeterReading(3, gauge, former: meter)
    for model in [first, second, third] {
      #expect(throws: SwiftDataError.self) { _ = try container.batchInsert([model]) }
      #expect(model.modelContext === context)
    }
    try context.save()
    #expect(try values() == [1, 2, 3])
    let notes = try ModelContext(container).fetch(FetchDescriptor<MeterNote>())
    #expect(Set(notes.map { $0.reading?.value }) == [1, 2])
  }

  @Test("refuses a model that was inserted into a context", arguments: [false, true])
  func inserted(isLinked: Bool) throws {
    let model = MeterReading(1, isLinked ? gauge : nil)
    context.insert(model)
    #expect(throws: SwiftDataError.modelValidationFailure) {
      _ = try container.batchInsert([model])
    }
    let batch = try BatchUpsert<MeterReading>(container)
    #expect(throws: SwiftDataError.modelValidationFailure) { _ = try batch.upsert(model) }
    batch.rollback()
    try context.save()
    #expect(try values() == [1])
  }
}
