import SwiftData
import Testing

/// A type that isn't Codable.
struct Paint: Equatable {
  var red: UInt8
  var green: UInt8
}

final class PaintTransformer: ValueTransformer, @unchecked Sendable {
  override class func allowsReverseTransformation() -> Bool { true }
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? Paint).map { Data([$0.red, $0.green]) }
  }
  override func reverseTransformedValue(_ value: Any?) -> Any? {
    guard let bytes = value as? Data, bytes.count == 2 else { return nil }
    return Paint(red: bytes[bytes.startIndex], green: bytes[bytes.startIndex + 1])
  }
}

@Model
final class Wall {
  var name: String
  @Attribute(.transformable(by: PaintTransformer.self)) var paint: Paint
  @Attribute(.transformable(by: "TransformableTests.paint")) var trim: Paint?

  init(name: String, paint: Paint, trim: Paint? = nil) {
    self.name = name
    self.paint = paint
    self.trim = trim
  }
}

@Model
final class Fence {
  @Attribute(.transformable(by: "TransformableTests.unknown")) var paint: Paint?
  init(paint: Paint?) { self.paint = paint }
}

@Suite("Transformable attributes", .serialized)
struct TransformableTests {
  private let name = NSValueTransformerName("TransformableTests.paint")

  init() { ValueTransformer.setValueTransformer(PaintTransformer(), forName: name) }

  @Test("values that aren't Codable are kept as the transformer's bytes, by class and by name")
  func roundTrip() throws {
    let store = try TemporaryStore()
    do {
      let context = ModelContext(try store.container(Wall.self))
      context.insert(
        Wall(name: "a", paint: Paint(red: 1, green: 2), trim: Paint(red: 3, green: 255)))
      context.insert(Wall(name: "b", paint: Paint(red: 0, green: 0)))
      try context.save()
    }
    let context = ModelContext(try store.container(Wall.self))
    let walls = try context.fetch(FetchDescriptor<Wall>(sortBy: [SortDescriptor(\.name)]))
    #expect(walls.map(\.paint) == [Paint(red: 1, green: 2), Paint(red: 0, green: 0)])
    #expect(walls.map(\.trim) == [Paint(red: 3, green: 255), nil])
    func stored(_ column: String, _ name: String) throws -> String? {
      let digits = StoreKind.tested.digits(of: column)
      return try store.value("SELECT \(digits) FROM \"Wall\" WHERE name = '\(name)'")
    }
    #expect(try stored("paint", "b") == "0000")
    #expect(
      try store.value("SELECT count(*) FROM \"Wall\" WHERE \"trim\" IS NULL AND name = 'b'") == "1")
    walls[0].trim?.green = 9
    #expect(walls[0].hasChanges)
    try context.save()
    #expect(try stored("\"trim\"", "a") == "0309")
    walls[0].trim = nil
    context.rollback()
    #expect(walls[0].trim == Paint(red: 3, green: 9))
  }

  @Test("a missing transformer is an error that names the property, and nothing is written")
  func missingTransformer() throws {
    let context = ModelContext(try memoryContainer(Fence.self))
    context.insert(Fence(paint: Paint(red: 1, green: 1)))
    #expect {
      try context.save()
    } throws: { error in
      let error = error as? SchemaError
      return error?.code == .missingTransformer && error?.entity == "Fence"
        && error?.property == "paint"
        && error?.description.contains("TransformableTests.unknown") == true
    }
    #expect(context.hasChanges)
  }

  @Test("stored bytes that the transformer can't read are an error that names the property")
  func failingTransformer() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Wall.self))
    context.insert(Wall(name: "a", paint: Paint(red: 1, green: 2)))
    try context.save()
    try store.execute("UPDATE \"Wall\" SET paint = \(StoreKind.tested.data("00"))")
    let other = ModelContext(try store.container(Wall.self))
    #expect {
      try other.fetch(FetchDescriptor<Wall>())
    } throws: { error in
      let error = error as? SchemaError
      return error?.code == .failedTransformer && error?.property == "paint"
    }
  }

  @Test("the schema has the attribute as transformable, with its transformer's name")
  func schema() throws {
    let attributes = try #require(Schema([Wall.self]).entity(for: Wall.self)).attributesByName
    #expect(attributes["paint"]?.isTransformable == true)
    #expect(attributes["name"]?.isTransformable == false)
    #expect(
      attributes["trim"]?.options == [.transformable(by: "TransformableTests.paint")])
  }
}
