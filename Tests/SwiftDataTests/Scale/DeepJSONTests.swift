import Foundation
import SwiftData
import SwiftDataCore
import Testing

/// A list of itself, which is stored as JSON.
struct Nest: Codable, Hashable {
  var inner: [Nest] = []

  /// - Parameter depth: The arrays and objects of its JSON, one inside the other.
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

  /// Saves values of a depth, with the list round them.
  private func save(_ depth: Int) throws {
    let container = try store.container(NestBox.self)
    try Scale.onStack(of: 64 << 20) {
      let context = ModelContext(container)
      context.insert(NestBox([Nest(depth: depth - 1)]))
      try context.save()
    }
  }

  private func levels() throws -> Int? {
    let context = ModelContext(try store.container(NestBox.self))
    return try context.fetch(FetchDescriptor<NestBox>()).first?.nests.first.map { $0.levels + 1 }
  }

  @Test("what Foundation writes can be read again, and what is deeper isn't saved")
  func limit() throws {
    try save(511)
    try Scale.onStack(of: 64 << 20) {
      let levels = try levels()
      #expect(levels == 511)
    }
    for depth in [513, 2_001] {
      #expect(throws: EncodingError.self) { try save(depth) }
    }
    try Scale.onStack(of: 64 << 20) {
      let levels = try levels()
      #expect(levels == 511)
    }
  }

  @Test("what the stack has no room for is an error that names the property")
  func smallStack() throws {
    try save(121)
    try Scale.onSmallStack {
      let levels = try levels()
      #expect(levels == 121)
    }
    for depth in [401, 511] {
      let store = try TemporaryStore()
      let container = try store.container(NestBox.self)
      try Scale.onStack(of: 64 << 20) {
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

  @Test("text of 10,000 levels that another program wrote is an error that names the property")
  func otherPrograms() throws {
    try save(41)
    for (open, close) in [("[", "]"), (#"{"inner":["#, "]}")] {
      let text =
        "[" + String(repeating: open, count: 10_000) + String(repeating: close, count: 10_000) + "]"
      try store.execute("UPDATE NestBox SET nests = '\(text)'")
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
