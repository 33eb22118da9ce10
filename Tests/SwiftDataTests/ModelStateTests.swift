import Foundation
import SwiftData
import SwiftDataExtras
import Testing

@testable import SwiftDataCore

/// A value whose encoding changes another model, like a value that counts its uses.
private struct Meddling: Codable {
  nonisolated(unsafe) static var meddle: (() -> Void)?

  var number: Int

  init(number: Int) { self.number = number }

  init(from decoder: any Decoder) throws {
    number = try decoder.singleValueContainer().decode(Int.self)
  }

  func encode(to encoder: any Encoder) throws {
    Self.meddle?()
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }
}

@Model
private final class Meddler {
  var name: String
  var value: Meddling

  init(_ name: String, _ number: Int) {
    self.name = name
    value = Meddling(number: number)
  }
}

@Suite("The state of models", .serialized)
struct ModelStateTests {
  private func samples(_ store: TemporaryStore, _ count: Int) throws -> (ModelContext, [Sample]) {
    let context = ModelContext(try store.container(Sample.self))
    for number in 0..<count { context.insert(Sample(int: number)) }
    try context.save()
    return (context, try context.fetch(FetchDescriptor<Sample>(sortBy: [.init(\.int)])))
  }

  /// Changes the properties of some kinds.
  private func edit(_ sample: Sample, _ kinds: Set<Int>) {
    if kinds.contains(0) { sample.flag.toggle() }
    if kinds.contains(1) { sample.int64 /= 2 }
    if kinds.contains(2) { sample.string += " and more, so that it is a long text" }
    if kinds.contains(3) { sample.data.append(7) }
    if kinds.contains(4) { sample.outer.inner.note = "a note" }
    if kinds.contains(5) { sample.shape = .square }
    if kinds.contains(6) { sample.strings.append("c") }
    if kinds.contains(7) { sample.optionalInner = Inner(depth: 1, note: "n") }
    if kinds.contains(8) { sample.optionalString = sample.optionalString == nil ? "there" : nil }
    if kinds.contains(9) { sample.decimal += 1 }
  }

  @Test(
    "rolling back gives the properties back that were changed", arguments: 0..<StoreKind.rounds(8))
  func rollback(seed: Int) throws {
    let store = try TemporaryStore()
    let (context, samples) = try samples(store, 6)
    let before = samples.map(\.snapshot)
    var generator = SeededGenerator(seed: UInt64(seed))
    for sample in samples {
      // Several times: rolling back restores the first values.
      for _ in 0..<3 { edit(sample, Set((0..<10).filter { _ in .random(using: &generator) })) }
    }
    #expect(samples.map(\.snapshot) != before)
    context.rollback()
    #expect(samples.map(\.snapshot) == before)
    #expect(!context.hasChanges)
    // Later edits are recorded and written as before.
    for sample in samples { edit(sample, [2, 4, 9]) }
    let edited = samples.map(\.snapshot)
    try context.save()
    let other = ModelContext(context.container)
    let stored = try other.fetch(FetchDescriptor<Sample>(sortBy: [.init(\.int)]))
    #expect(stored.map(\.snapshot) == edited)
  }

  @Test("setting an equal value isn't written")
  func setBack() throws {
    let store = try TemporaryStore()
    let (context, samples) = try samples(store, 2)
    let (outer, text) = (samples[0].outer, samples[0].string)
    edit(samples[0], [2, 4, 8])
    edit(samples[0], [2])
    samples[0].outer = outer
    samples[0].string = text
    samples[0].optionalString = nil
    samples[1].optionalString = "there"
    #expect(context.changedModelsArray.count == 2)
    let count = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count
    try context.save()
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    try #require(history.count == count + 1)
    let changed = try #require(history.last).changes.map { $0.changedPersistentIdentifier }
    #expect(changed == [samples[1].persistentModelID])
  }

  @Test("the encoding of a value changes another model while it is kept")
  func meddling() throws {
    let container = try memoryContainer(Meddler.self)
    let context = ModelContext(container)
    let (first, second) = (Meddler("first", 1), Meddler("second", 2))
    context.insert(first)
    context.insert(second)
    try context.save()
    Meddling.meddle = {
      Meddling.meddle = nil
      second.name = "changed"
      second.value.number = 20
    }
    defer { Meddling.meddle = nil }
    first.value.number = 10
    #expect(second.name == "changed")
    #expect(context.changedModelsArray.count == 2)
    context.rollback()
    #expect(first.value.number == 1)
    #expect(second.value.number == 2)
    #expect(second.name == "second")
  }

  @Test("a handle keeps its model, and a released model is forgotten")
  func lifetime() throws {
    let store = try TemporaryStore()
    let (context, _) = try samples(store, 3)
    weak var model: Sample?
    var handle: _ModelState?
    do {
      let sample = try #require(try context.fetch(FetchDescriptor<Sample>()).first)
      model = sample
      handle = sample._$modelState
    }
    #expect(model != nil)
    #expect(handle?.rowID == 1)
    let identifier = try #require(model?.persistentModelID)
    handle = nil
    #expect(model == nil)
    let none: Sample? = context.registeredModel(for: identifier)
    #expect(none == nil)
  }

  @Test("models can be looked into")
  func mirrors() throws {
    let sample = Sample(int: 7)
    var text = ""
    dump(sample, to: &text)
    #expect(text.contains("Sample"))
    let children = Mirror(reflecting: sample).children
    #expect(children.contains { $0.label == "_int" })
    #expect(children.map { "\($0.value)" }.count == children.count)
  }

  @Test("identifiers of one row are equal, wherever they come from")
  func identifiers() throws {
    let store = try TemporaryStore()
    let (context, samples) = try samples(store, 2)
    let ofModels = samples.map(\.persistentModelID)
    let decoded = try JSONDecoder().decode(
      [PersistentIdentifier].self, from: JSONEncoder().encode(ofModels))
    let ofValues = try context.snapshots(FetchDescriptor<Sample>(sortBy: [.init(\.int)]))
      .compactMap(\.persistentModelID)
    let another = ModelContext(try store.container(Sample.self))
    let ofAnother = try another.fetchIdentifiers(
      FetchDescriptor<Sample>(sortBy: [.init(\.int)]))
    for other in [decoded, ofValues, ofAnother] {
      #expect(other == ofModels)
      #expect(other.map(\.hashValue) == ofModels.map(\.hashValue))
      #expect(other.map(\.id) == ofModels.map(\.id))
    }
    #expect(ofModels[0] != ofModels[1])
    #expect(Set(ofModels + decoded + ofValues + ofAnother).count == 2)
  }

  @Test("identifiers that differ in one part differ")
  func unequalIdentifiers() {
    func identifier(
      _ store: String?, _ entity: String, _ key: PersistentIdentifier.Key
    ) -> PersistentIdentifier {
      PersistentIdentifier(storeIdentifier: store, entityName: entity, key: key)
    }
    let all = [
      identifier("a", "E", .row(1)), identifier("a", "E", .row(2)), identifier("b", "E", .row(1)),
      identifier("a", "F", .row(1)), identifier(nil, "E", .row(1)),
      identifier(nil, "E", .temporary(1)), identifier("a", "E", .custom("1")),
      identifier("a", "E", .custom("2")), identifier("a", "E", .row(0)),
    ]
    #expect(Set(all).count == all.count)
    for (left, first) in all.enumerated() {
      for (right, second) in all.enumerated() {
        let areEqual = first == second
        #expect(areEqual == (left == right))
      }
    }
    let keys: [PersistentIdentifier.Key] = [.row(-5), .temporary(.max), .custom("x")]
    #expect(keys.map { identifier("a", "E", $0).key } == keys)
  }
}
