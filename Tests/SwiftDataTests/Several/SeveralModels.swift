import Foundation
import SwiftData

/// A counter that several contexts increment.
@Model
final class Tally {
  @Attribute(.unique) var name: String
  var value: Int
  var note: String = "none"
  @Attribute(.externalStorage) var photo: Data?

  init(_ name: String, value: Int = 0) {
    self.name = name
    self.value = value
  }
}

/// A counter in the second store, if there are two.
@Model
final class CountMark {
  @Attribute(.unique) var name: String
  var value: Int
  var note: String = "none"

  init(_ name: String, value: Int = 0) {
    self.name = name
    self.value = value
  }
}

/// The classes of an older version.
enum OlderSeveral {
  @Model
  final class Tally {
    @Attribute(.unique) var name: String
    var value: Int
    @Attribute(.externalStorage) var photo: Data?

    init(_ name: String, value: Int = 0) {
      self.name = name
      self.value = value
    }
  }

  @Model
  final class CountMark {
    @Attribute(.unique) var name: String
    var value: Int

    init(_ name: String, value: Int = 0) {
      self.name = name
      self.value = value
    }
  }
}

extension TemporaryStore {
  /// Creates a container with the tallies in one file and the marks in another.
  func pair(reversed: Bool = false) throws -> ModelContainer {
    try Self.pair(folder, reversed: reversed)
  }

  static func pair(_ folder: URL, reversed: Bool = false) throws -> ModelContainer {
    let configurations = [
      ModelConfiguration(
        "tallies", schema: Schema([Tally.self]), url: folder.appending(path: "tallies.store")),
      ModelConfiguration(
        "marks", schema: Schema([CountMark.self]), url: folder.appending(path: "marks.store")),
    ]
    return try ModelContainer(
      for: Schema([Tally.self, CountMark.self]),
      configurations: reversed ? configurations.reversed() : configurations)
  }
}

extension ModelContext {
  func tally(_ name: String) throws -> Tally? {
    try fetch(FetchDescriptor<Tally>(predicate: #Predicate { $0.name == name })).first
  }

  func mark(_ name: String) throws -> CountMark? {
    try fetch(FetchDescriptor<CountMark>(predicate: #Predicate { $0.name == name })).first
  }

  /// Returns the stored names of both classes.
  func names() throws -> [String] {
    let stored = ModelContext(container)
    return try stored.fetch(FetchDescriptor<Tally>()).map(\.name).sorted()
      + (try stored.fetch(FetchDescriptor<CountMark>()).map(\.name).sorted())
  }
}
