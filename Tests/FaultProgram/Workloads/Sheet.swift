import Foundation
import SwiftData
import TestSupport

/// The model that the workloads write.
@Model
final class Sheet {
  @Attribute(.unique) var number: Int
  var revision: Int
  var text: String
  @Attribute(.externalStorage) var picture: Data?
  var binder: Binder?

  init(number: Int, _ value: SheetValue) {
    self.number = number
    revision = value.revision
    text = value.text
    picture = value.picture.map(SheetValue.bytes)
  }
}

/// A container of sheets.
@Model
final class Binder {
  @Attribute(.unique) var name: Int
  @Relationship(deleteRule: .cascade, inverse: \Sheet.binder) var sheets: [Sheet] = []

  init(name: Int) { self.name = name }
}

/// The values of a sheet, kept outside the store.
struct SheetValue: Hashable {
  var revision: Int
  var text: String
  /// The seed of the picture's bytes.
  var picture: UInt64?
  var binder: Int?

  /// Returns more bytes than are stored in a row.
  static func bytes(_ seed: UInt64) -> Data {
    var generator = SeededGenerator(spreading: seed)
    let words = 12_600 + Int(seed % 2_000)
    return (0..<words).reduce(into: Data(capacity: words * 8)) { data, _ in
      withUnsafeBytes(of: generator.next()) { data.append(contentsOf: $0) }
    }
  }
}

extension SeededGenerator {
  /// Creates a generator whose first state is far from those of neighbouring seeds: not the sequence of
  /// `init(seed:)`.
  init(spreading seed: UInt64) { self.init(seed: seed &* 0x2545_F491_4F6C_DD1D &+ 1) }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
}

extension ModelContainer {
  static func sheets(_ file: URL, _ retention: HistoryRetention = .standard) throws
    -> ModelContainer
  {
    var configuration = ModelConfiguration(url: file)
    configuration.historyRetention = retention
    return try ModelContainer(
      for: Schema([Sheet.self, Binder.self]), configurations: [configuration])
  }
}

extension ModelContext {
  func sheet(_ number: Int) throws -> Sheet? {
    try fetch(FetchDescriptor<Sheet>(predicate: #Predicate { $0.number == number })).first
  }

  func binder(_ name: Int) throws -> Binder {
    let found = try fetch(FetchDescriptor<Binder>(predicate: #Predicate { $0.name == name })).first
    if let found { return found }
    let made = Binder(name: name)
    insert(made)
    return made
  }
}
