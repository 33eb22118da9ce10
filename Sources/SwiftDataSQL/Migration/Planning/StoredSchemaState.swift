import SwiftDataCore

/// The facts that a store keeps about its schema besides the description, for comparison with the one of a program.
package struct StoredSchemaState: Sendable {
  /// The hashes of the entities' forms.
  package var hashes: [String: String] = [:]
  package var version: Schema.Version?
  /// The hashes that entities had before migrations, as lines of the name and the hash.
  package var former: Set<String> = []

  package init() {}

  /// Whether the store contains a description of its schema.
  package var isDescribed: Bool { !hashes.isEmpty }

  /// Whether every entity of a schema has the same form in the store.
  package func fits(_ wanted: [String: String]) -> Bool {
    wanted.allSatisfy { hashes[$0.key] == $0.value }
  }

  /// The entities that had the form of a schema in this store, and have changed since.
  package func changedEntities(_ wanted: [String: String]) -> [String] {
    wanted.filter { former.contains("\($0.key) \($0.value)") && hashes[$0.key] != $0.value }
      .keys.sorted()
  }

  /// The former hashes after a migration to new ones.
  package func former(after new: [String: String]) -> Set<String> {
    let changed = hashes.filter { new[$0.key] != nil && new[$0.key] != $0.value }
    return former.union(changed.map { "\($0.key) \($0.value)" })
      .subtracting(new.map { "\($0.key) \($0.value)" })
  }

  // MARK: - Texts

  package static func hashes(from text: String) -> [String: String] {
    let pairs = text.split(separator: "\n").compactMap { line -> (String, String)? in
      // Names in backticks may contain spaces; hashes don't.
      guard let space = line.lastIndex(of: " "), space != line.startIndex else { return nil }
      return (String(line[..<space]), String(line[line.index(after: space)...]))
    }
    return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }

  package static func text(of hashes: [String: String]) -> String {
    hashes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: "\n")
  }

  package static func version(from text: String) -> Schema.Version? {
    let numbers = text.split(separator: ".").compactMap { Int($0) }
    guard numbers.count == 3, numbers.allSatisfy({ $0 >= 0 }) else { return nil }
    return Schema.Version(numbers[0], numbers[1], numbers[2])
  }
}

/// A store that is to be migrated.
package protocol MigratedStore {
  /// The store, for errors.
  var address: String { get }
  /// nil for a store without metadata.
  var state: StoredSchemaState? { get throws }
  /// The stored description of the schema. Called when the state says that there is one.
  var description: SchemaDescription { get throws }
  /// A description made from the tables, with the help of the wanted one.
  func description(by wanted: SchemaDescription) throws -> SchemaDescription
  /// The number that a query returns; nil for NULL.
  func integer(_ sql: String) throws -> Int64?
}
