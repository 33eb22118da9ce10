import Foundation
import SwiftData
import SwiftDataExtras
import Testing

/// A type that refuses negative numbers when it is decoded, but can have them.
private struct RawRank: RawRepresentable, Codable, Hashable {
  var rawValue: Int
  init(_ value: Int) { rawValue = value }
  init?(rawValue: Int) {
    guard rawValue >= 0 else { return nil }
    self.rawValue = rawValue
  }
}

/// An enumeration with a handwritten initialiser that lacks a case.
private enum RawPaint: RawRepresentable, Codable, CaseIterable {
  case red, green, blue
  var rawValue: String {
    switch self {
    case .red: "red"
    case .green: "green"
    case .blue: "blue"
    }
  }
  init?(rawValue: String) {
    switch rawValue {
    case "red": self = .red
    case "green": self = .green
    default: return nil
    }
  }
}

/// An enumeration with associated values, larger than a byte.
private enum RawExtent: RawRepresentable, Codable {
  case exact(Int), unknown
  var rawValue: Int {
    if case .exact(let value) = self { value } else { -1 }
  }
  init?(rawValue: Int) {
    guard rawValue >= 0 else { return nil }
    self = .exact(rawValue)
  }
}

private enum RawLetter: String, Codable, CaseIterable { case a, b, c }

private struct RawFlags: OptionSet, Codable {
  var rawValue: UInt8
}

private struct RawCasing: Codable, Hashable {
  var name: String
  var level: RawRank
}

@Model
private final class RawHolder {
  @Attribute(.unique) var name: String
  var level: RawRank = RawRank(0)
  var maybe: RawRank?
  var color: RawPaint = RawPaint.red
  var maybeColor: RawPaint?
  var size: RawExtent = RawExtent.exact(0)
  var plain: RawLetter = RawLetter.a
  var options: RawFlags = RawFlags()
  var frame: RawCasing = RawCasing(name: "", level: RawRank(0))
  var maybeFrame: RawCasing?

  init(_ name: String) { self.name = name }
}

@Model private final class NestedInteger { var value: Int??; init() {} }
@Model private final class NestedText { var value: String??; init() {} }
@Model private final class NestedRaw { var value: RawLetter??; init() {} }
@Model private final class NestedList { var value: [Int]??; init() {} }
@Model private final class NestedFrame { var value: RawCasing??; init() {} }
@Model private final class NestedThrice { var value: Int???; init() {} }
@Model private final class NestedJSON { @Attribute(.codable) var value: Int??; init() {} }

@Suite("Values that couldn't be read again")
struct RawValueTests {
  private static let edits: [(String, @Sendable (RawHolder) -> Void)] = [
    ("level", { $0.level = RawRank(-1) }), ("maybe", { $0.maybe = RawRank(-1) }),
    ("color", { $0.color = .blue }), ("maybeColor", { $0.maybeColor = .blue }),
    ("size", { $0.size = .unknown }), ("frame", { $0.frame.level = RawRank(-1) }),
    ("maybeFrame", { $0.maybeFrame = RawCasing(name: "x", level: RawRank(-5)) }),
  ]

  @Test("are refused by the save, which names model and property", arguments: edits.map(\.0))
  func refused(_ property: String) throws {
    let edit = try #require(Self.edits.first { $0.0 == property }?.1)
    let container = try memoryContainer(RawHolder.self)
    let context = ModelContext(container)
    let stored = RawHolder("stored")
    context.insert(stored)
    context.insert(RawHolder("other"))
    try context.save()
    func check(_ body: () throws -> Void) {
      let error = #expect(throws: SwiftDataError.self) { try body() }
      #expect(error == .modelValidationFailure)
      #expect(
        error?.description.contains("RawHolder.\(property)") == true, "\(error.debugDescription)")
    }
    edit(stored)
    check { try context.save() }
    check { try context.save() }
    context.rollback()
    let new = RawHolder("new")
    edit(new)
    context.insert(new)
    check { try context.save() }
    context.rollback()
    let batch = try BatchUpsert<RawHolder>(container)
    check { _ = try batch.upsert(new) }
    #expect(try ModelContext(container).fetch(FetchDescriptor<RawHolder>()).count == 2)
  }

  @Test("everything else comes back, every case and every time")
  func accepted() throws {
    let container = try memoryContainer(RawHolder.self)
    let context = ModelContext(container)
    for round in 0..<2 {
      for plain in RawLetter.allCases {
        for level in 0..<3 {
          let model = RawHolder("\(round) \(plain) \(level)")
          model.level = RawRank(level)
          model.plain = plain
          model.color = level == 0 ? .red : .green
          model.maybeColor = level == 1 ? nil : .green
          model.size = .exact(level)
          model.options = RawFlags(rawValue: UInt8(level * 100))
          model.frame = RawCasing(name: "\(level)", level: RawRank(level))
          context.insert(model)
        }
      }
      try context.save()
    }
    let found = try ModelContext(container).fetch(FetchDescriptor<RawHolder>())
    #expect(found.count == 18)
    for model in found {
      #expect(model.name.hasSuffix(" \(model.plain) \(model.level.rawValue)"))
      #expect(model.options.rawValue == UInt8(model.level.rawValue * 100))
      #expect(model.frame.level == model.level)
    }
  }

  @Test("a row that can't be read is named, and the others can be had")
  func unreadable() throws {
    let store = try TemporaryStore()
    let container = try store.container(RawHolder.self)
    let context = ModelContext(container)
    for name in ["a", "b", "c"] { context.insert(RawHolder(name)) }
    try context.save()
    try store.execute("UPDATE \"RawHolder\" SET level = -3 WHERE name = 'b'")
    let fresh = ModelContext(container)
    let error = #expect(throws: RowDecodingError.self) {
      try fresh.fetch(FetchDescriptor<RawHolder>())
    }
    let row = try #require(error?.row)
    #expect(row.rowID == 2)
    #expect(error?.column == "level")
    #expect(error?.description.contains("row 2") == true)
    // The identifiers can be fetched, and so can the other models.
    #expect(try fresh.fetchIdentifiers(FetchDescriptor<RawHolder>()).contains(row))
    let others = FetchDescriptor<RawHolder>(predicate: #Predicate { $0.persistentModelID != row })
    #expect(try fresh.fetch(others).map(\.name).sorted() == ["a", "c"])
    var whole = FetchDescriptor<RawHolder>(
      sortBy: [SortDescriptor(\.name, comparator: .lexical)])
    whole.includePendingChanges = false
    let batched = try fresh.fetch(whole, batchSize: 2)
    #expect(batched.count == 3)
    #expect(batched.map(\.isDeleted) == [false, true, false])
    // The row can be repaired without being read.
    try container.batchUpdate(RawHolder.self, where: #Predicate { $0.persistentModelID == row }) {
      $0.set(\.level, to: RawRank(3))
    }
    #expect(
      try fresh.fetch(FetchDescriptor<RawHolder>()).map(\.level.rawValue).sorted() == [0, 0, 3])
    // Or deleted.
    try store.execute("UPDATE \"RawHolder\" SET level = -3 WHERE name = 'b'")
    let last = ModelContext(container)
    #expect(throws: RowDecodingError.self) { try last.fetch(FetchDescriptor<RawHolder>()) }
    try last.delete(model: RawHolder.self, where: #Predicate { $0.persistentModelID == row })
    try last.save()
    #expect(try last.fetch(FetchDescriptor<RawHolder>()).map(\.name).sorted() == ["a", "c"])
  }

  @Test(
    "an optional in an optional is refused when the container is made",
    arguments: [
      NestedInteger.self, NestedText.self, NestedRaw.self, NestedList.self, NestedFrame.self,
      NestedThrice.self, NestedJSON.self,
    ] as [any PersistentModel.Type])
  func nestedOptional(_ type: any PersistentModel.Type) throws {
    let error = #expect(throws: SchemaError.self) {
      try memoryContainer(for: Schema([type]))
    }
    #expect(error?.code == .unsupportedType)
    #expect(error?.property == "value")
    #expect(error?.description.contains("optional in an optional") == true)
  }
}
