import SwiftData
import Testing

@Suite("Values survive the store")
struct RoundTripTests {
  @Test("every property type comes back equal from a file")
  func everyType() throws {
    let store = try TemporaryStore()
    do {
      let context = ModelContext(try store.container(Sample.self))
      let full = Sample(int: 1)
      full.optionalInt = 5
      full.optionalUInt64 = .max
      full.optionalDouble = .nan
      full.optionalString = ""
      full.optionalDate = Date(timeIntervalSince1970: 0.1)
      full.optionalData = Data()
      full.optionalUUID = full.uuid
      full.optionalURL = URL(string: "https://example.org/?q=a%20b")
      full.optionalDecimal = Decimal(string: "99999999999999999999999999999999999999")
      full.optionalBool = false
      full.optionalColour = .red
      full.optionalShape = .square
      full.optionalInner = Inner(depth: .infinity, note: "n")
      full.optionalStrings = []
      context.insert(full)
      context.insert(Sample(int: 2))
      try context.save()
    }
    let context = ModelContext(try store.container(Sample.self))
    let samples = try context.fetch(FetchDescriptor<Sample>(sortBy: [SortDescriptor(\.int)]))
    #expect(samples.map(\.int) == [1, 2])
    let reference = Sample()
    for sample in samples { expectRequired(of: sample, equal: reference) }
    let full = try #require(samples.first)
    #expect(full.optionalInt == 5)
    #expect(full.optionalUInt64 == .max)
    #expect(full.optionalDouble?.isNaN == true)
    #expect(full.optionalString == "")
    #expect(full.optionalDate == Date(timeIntervalSince1970: 0.1))
    #expect(full.optionalData == Data())
    #expect(full.optionalUUID == reference.uuid)
    #expect(full.optionalURL == URL(string: "https://example.org/?q=a%20b"))
    #expect(full.optionalDecimal == Decimal(string: "99999999999999999999999999999999999999"))
    #expect(full.optionalBool == false)
    #expect(full.optionalColour == .red)
    #expect(full.optionalShape == .square)
    #expect(full.optionalInner == Inner(depth: .infinity, note: "n"))
    #expect(full.optionalStrings == [])
    expectOptionals(areNilIn: try #require(samples.last))
  }

  private func expectRequired(of sample: Sample, equal reference: Sample) {
    #expect(sample.flag == reference.flag)
    #expect(sample.int8 == reference.int8)
    #expect(sample.int16 == reference.int16)
    #expect(sample.int32 == reference.int32)
    #expect(sample.int64 == reference.int64)
    #expect(sample.uint == reference.uint)
    #expect(sample.uint8 == reference.uint8)
    #expect(sample.uint16 == reference.uint16)
    #expect(sample.uint32 == reference.uint32)
    #expect(sample.uint64 == reference.uint64)
    #expect(sample.float == reference.float)
    #expect(sample.double == reference.double)
    #expect(sample.string == reference.string)
    #expect(sample.date == reference.date)
    #expect(sample.data == reference.data)
    #expect(sample.uuid == reference.uuid)
    #expect(sample.url == reference.url)
    #expect(sample.decimal == reference.decimal)
    #expect(sample.colour == reference.colour)
    #expect(sample.level == reference.level)
    #expect(sample.shape == reference.shape)
    #expect(sample.outer == reference.outer)
    #expect(sample.listy == reference.listy)
    #expect(sample.strings == reference.strings)
    #expect(sample.numbers == reference.numbers)
    #expect(sample.pairs == reference.pairs)
    #expect(sample.cache == 0)
  }

  private func expectOptionals(areNilIn sample: Sample) {
    #expect(sample.optionalInt == nil)
    #expect(sample.optionalUInt64 == nil)
    #expect(sample.optionalDouble == nil)
    #expect(sample.optionalString == nil)
    #expect(sample.optionalDate == nil)
    #expect(sample.optionalData == nil)
    #expect(sample.optionalUUID == nil)
    #expect(sample.optionalURL == nil)
    #expect(sample.optionalDecimal == nil)
    #expect(sample.optionalBool == nil)
    #expect(sample.optionalColour == nil)
    #expect(sample.optionalShape == nil)
    #expect(sample.optionalInner == nil)
    #expect(sample.optionalStrings == nil)
  }

  @Test("structures become a column a member")
  func compositeColumns() throws {
    let schema = Schema([Quake.self])
    let attribute = try #require(schema.entities.first?.attributesByName["location"])
    let composite = try #require(attribute as? Schema.CompositeAttribute)
    #expect(composite.properties.map(\.name) == ["name", "longitude", "latitude"])
  }
}
