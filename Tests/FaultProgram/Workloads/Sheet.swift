import Foundation
import SwiftData

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
    var generator = SeededGenerator(seed)
    let words = 12_600 + Int(seed % 2_000)
    return (0..<words).reduce(into: Data(capacity: words * 8)) { data, _ in
      withUnsafeBytes(of: generator.next()) { data.append(contentsOf: $0) }
    }
  }
}

/// A generator that returns the same numbers for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed &* 0x2545_F491_4F6C_DD1D &+ 1 }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

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
