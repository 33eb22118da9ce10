import SwiftDataCore

/// The facts that a store keeps about its schema besides the description, for comparison with the one of a program.
package struct StoredSchemaState: Sendable {
  /// The hashes of the entities' forms.
  package var hashes: [String: String] = [:]
  /// The forms themselves, as far as the store keeps them.
  package var forms: [String: Form] = [:]
  package var version: Schema.Version?
  /// The hashes that entities had before migrations, as lines of the name and the hash.
  package var former: Set<String> = []

  /// The form of an entity.
  package struct Form: Equatable, Sendable {
    let text: String
    /// The hash of the text. An earlier version of the library, which doesn't know the forms, changes the hashes alone
    /// when it migrates a store.
    let hash: String
  }

  package init() {}

  /// Whether the store contains a description of its schema.
  package var isDescribed: Bool { !hashes.isEmpty }

  /// Whether every entity of a schema has the same form in the store.
  package func fits(_ wanted: EntityForms) -> Bool {
    wanted.texts.keys.allSatisfy { name in
      forms[name].map { wanted.isForm($0.text, of: name) && $0.hash == hashes[name] } ?? false
    } || wanted.allHashes.allSatisfy { has($0.key, $0.value) }
  }

  /// Whether an entity has one of the hashes.
  package func has(_ entity: String, _ wanted: Set<String>) -> Bool {
    hashes[entity].map(wanted.contains) ?? false
  }

  /// The entities that had the form of a schema in this store, and have changed since.
  package func changedEntities(_ wanted: EntityForms) -> [String] {
    wanted.allHashes.filter { name, wanted in
      wanted.contains { former.contains("\(name) \($0)") } && !has(name, wanted)
    }.keys.sorted()
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

  /// Reads forms as far as their text is undamaged.
  package static func forms(from text: String) -> [String: Form] {
    var result: [String: Form] = [:]
    var rest = Substring(text).utf8
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let head = rest[..<end].split(separator: UInt8(ascii: " "), maxSplits: 2)
        .map { String(decoding: $0, as: UTF8.self) }
      rest = rest[rest.index(after: end)...]
      guard head.count == 3, let length = Int(head[0]), (0...rest.count).contains(length) else {
        break
      }
      let stop = rest.index(rest.startIndex, offsetBy: length)
      result[head[2]] = Form(
        text: String(decoding: rest[..<stop], as: UTF8.self), hash: head[1])
      rest = rest[stop...]
    }
    return result
  }

  /// For each entity a line of its text's number of bytes, its hash and its name, and the text.
  package static func text(of forms: EntityForms) -> String {
    let hashes = forms.hashes
    return forms.texts.sorted { $0.key < $1.key }
      .map { "\($0.value.utf8.count) \(hashes[$0.key] ?? "") \($0.key)\n\($0.value)" }.joined()
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
