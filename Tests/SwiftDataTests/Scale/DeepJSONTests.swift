import Foundation
import SwiftData
import SwiftDataCore
import Testing

/// A recursive list, which is stored as JSON.
struct Nest: Codable, Hashable {
  var inner: [Nest] = []

  /// - Parameter depth: The nesting depth of the arrays and objects in its JSON.
  init(depth: Int) {
    for _ in 0..<depth / 2 - 1 { inner = [Nest(inner)] }
  }

  init(_ inner: [Nest]) { self.inner = inner }

  var levels: Int {
    var (levels, next) = (2, inner.first)
    while let nest = next {
      levels += 2
      next = nest.inner.first
    }
    return levels
  }
}

@Model
final class NestBox {
  var nests: [Nest]
  init(_ nests: [Nest]) { self.nests = nests }
}

@Suite("Codable values of any depth are stored or refused", .serialized)
struct DeepJSONTests {
  let store: TemporaryStore
  init() throws { store = try TemporaryStore() }

  /// Saves values of a depth, including the list around them.
  private func save(_ depth: Int) throws {
    let container = try store.container(NestBox.self)
    try onStack(of: 64 << 20) {
      let context = ModelContext(container)
      context.insert(NestBox([Nest(depth: depth - 1)]))
      try context.save()
    }
  }

  private func levels() throws -> Int? {
    let context = ModelContext(try store.container(NestBox.self))
    return try context.fetch(FetchDescriptor<NestBox>()).first?.nests.first.map { $0.levels + 1 }
  }

  @Test("Foundation's output can be read again, and deeper values aren't saved")
  func limit() throws {
    try save(511)
    try onStack(of: 64 << 20) {
      let levels = try levels()
      #expect(levels == 511)
    }
    for depth in [513, 2_001] {
      #expect(throws: EncodingError.self) { try save(depth) }
    }
    try onStack(of: 64 << 20) {
      let levels = try levels()
      #expect(levels == 511)
    }
  }

  @Test("values too deep for the stack are an error that names the property")
  func smallStack() throws {
    try save(121)
    try Scale.onSmallStack {
      let levels = try levels()
      #expect(levels == 121)
    }
    for depth in [401, 511] {
      let store = try TemporaryStore()
      let container = try store.container(NestBox.self)
      try onStack(of: 64 << 20) {
        let context = ModelContext(container)
        context.insert(NestBox([Nest(depth: depth - 1)]))
        try context.save()
      }
      try Scale.onSmallStack {
        let context = ModelContext(container)
        let error = #expect(throws: RowDecodingError.self) {
          _ = try context.fetch(FetchDescriptor<NestBox>())
        }
        #expect(error.map { "\($0)".contains("nests") } == true)
      }
    }
  }

  @Test("values too deep to write are refused, and saved on a larger stack")
  func smallStackOfWriter() throws {
    for (depth, isCertain) in [(21, true), (61, true), (251, false), (401, false), (511, false)] {
      let store = try TemporaryStore()
      let container = try store.container(NestBox.self, OpaqueNest.self)
      let context = ModelContext(container)
      try onStack(of: 64 << 20) {
        context.insert(NestBox([Nest(depth: depth - 1)]))
        context.insert(OpaqueNest(Nest(depth: depth - 1)))
      }
      var isSaved = true
      try Scale.onSmallStack {
        do { try context.save() } catch SwiftDataError.modelValidationFailure {
          isSaved = false
        }
      }
      #expect(isSaved || !isCertain)
      #expect(context.hasChanges == !isSaved)
      try onStack(of: 64 << 20) {
        try context.save()
        let other = ModelContext(container)
        let found = try other.fetch(FetchDescriptor<NestBox>()).first?.nests.first?.levels
        #expect(found == depth - 1)
        let opaque = try other.fetch(FetchDescriptor<OpaqueNest>()).first?.nest.levels
        #expect(opaque == depth - 1)
      }
    }
  }

  @Test("the error names the class and the property", arguments: [false, true])
  func nameOfProperty(isOpaque: Bool) throws {
    let context = ModelContext(try store.container(NestBox.self, OpaqueNest.self))
    try onStack(of: 64 << 20) {
      if isOpaque {
        context.insert(OpaqueNest(Nest(depth: 510)))
      } else {
        context.insert(NestBox([Nest(depth: 510)]))
      }
    }
    try onStack(of: 256 << 10) {
      let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
      #expect(error?.description.contains(isOpaque ? "OpaqueNest.nest " : "NestBox.nests ") == true)
    }
  }

  @Test("the elements of a set are checked, too")
  func elementsOfASet() throws {
    let context = ModelContext(try store.container(NestSet.self))
    try onStack(of: 64 << 20) { context.insert(NestSet([Nest(depth: 509)])) }
    try onStack(of: 256 << 10) {
      let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
      #expect(error?.description.contains("NestSet.nests ") == true)
    }
  }

  @Test("the text is the same on a small stack as on a large one")
  func sameText() throws {
    let value = EveryKind()
    let expected = try JSONColumn.encode(value)
    try Scale.onSmallStack {
      let text = try JSONColumn.encode(value)
      #expect(text == expected)
      for plain in [URL(fileURLWithPath: "/a b"), Date(timeIntervalSince1970: 1.5), Data([1, 2])]
        as [any Codable & Sendable]
      {
        let small = try JSONColumn.encode(plain)
        let large = try Self.encodedOnLargeStack(plain)
        #expect(small == large)
      }
    }
  }

  private static func encodedOnLargeStack(_ value: any Codable & Sendable) throws -> String {
    var text = ""
    try onStack(of: 64 << 20) { text = try JSONColumn.encode(value) }
    return text
  }

  @Test("code that swallows the error doesn't store a part of the value")
  func swallowed() throws {
    try onStack(of: 256 << 10) {
      #expect(throws: SwiftDataError.modelValidationFailure) {
        _ = try JSONColumn.encode(Swallowing(levels: 500))
      }
    }
  }

  @Test("text of 10,000 levels that another program wrote is an error that names the property")
  func otherPrograms() throws {
    try save(41)
    for (open, close) in [("[", "]"), (#"{"inner":["#, "]}")] {
      let text =
        "[" + String(repeating: open, count: 10_000) + String(repeating: close, count: 10_000) + "]"
      try store.execute("UPDATE \"NestBox\" SET nests = '\(text)'")
      try Scale.onSmallStack {
        let error = #expect(throws: RowDecodingError.self) { _ = try levels() }
        #expect(error.map { "\($0)".contains("nests") } == true)
      }
    }
  }

  @Test("brackets in texts are no levels")
  func texts() throws {
    let container = try store.container(Words.self)
    let words = [#"[[[[{{{{\"["#, String(repeating: "[\"\\", count: 5_000)]
    try Scale.onSmallStack {
      let context = ModelContext(container)
      context.insert(Words(words))
      try context.save()
      #expect(try ModelContext(container).fetch(FetchDescriptor<Words>()).map(\.words) == [words])
    }
  }
}

@Model
final class Words {
  var words: [String]
  init(_ words: [String]) { self.words = words }
}

@Model
final class NestSet {
  var nests: Set<Nest>
  init(_ nests: Set<Nest>) { self.nests = nests }
}

@Model
final class OpaqueNest {
  @Attribute(.codable) var nest: Nest
  init(_ nest: Nest) { self.nest = nest }
}

/// A value of each kind that JSON can represent, and a container of each kind.
private struct EveryKind: Codable, Sendable {
  enum Choice: Codable {
    case plain
    case with(first: Int, second: [String])
  }

  class Base: Codable, @unchecked Sendable {
    var base = "b"
    init() {}
  }

  final class Derived: Base, @unchecked Sendable {
    private enum CodingKeys: String, CodingKey { case own }
    var own = [1, 2]

    override init() { super.init() }

    required init(from decoder: any Decoder) throws {
      own = try decoder.container(keyedBy: CodingKeys.self).decode([Int].self, forKey: .own)
      try super.init(from: decoder)
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(own, forKey: .own)
      try super.encode(to: container.superEncoder())
    }
  }

  var isTrue = true
  var numbers: [Double] = [1.5, .nan, .infinity, -.infinity, 1e300, -0.0]
  var float = Float(0.1)
  var integers: [Int64] = [.min, 0, .max]
  var unsigned = UInt64.max
  var bytes: [UInt8] = [0, 255]
  var data = Data([0, 1, 2, 255])
  var date = Date(timeIntervalSinceReferenceDate: 12_345.678)
  var dates: [Date?] = [nil, Date(timeIntervalSince1970: 0)]
  var link = URL(string: "https://example.org/a?b=c#d")
  var decimal = Decimal(string: "123456789.000000000123456789")
  var identifier = UUID(uuidString: "8D7F1AE0-2B6C-4F1E-9E62-0E2F3C9A5B11")
  var nothing: String?
  var texts = ["z": ["a/b", "\u{1F600}"], "a": []]
  var byNumber = [1: "one"]
  var byChoice: [[Choice]] = [[.plain], [.with(first: 1, second: ["x"])]]
  var nested: [String: [String: [Nest]]] = ["k": ["l": [Nest(depth: 8)]]]
  var object: Base = Derived()
  var range = 1..<3
}

/// A value that ignores the errors of its parts.
private struct Swallowing: Encodable {
  let levels: Int

  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    guard levels > 0 else { return }
    do { try container.encode(Swallowing(levels: levels - 1)) } catch {
      try container.encode("nothing")
    }
  }
}
