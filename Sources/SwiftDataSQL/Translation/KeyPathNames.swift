import Foundation
import Synchronization

/// The names of the stored properties that a key path goes through.
///
/// Key paths keep them for stored properties only, in their debug description: `\Location.name`.
/// That of a computed property says `<computed 0x… (Type)>`. Columns are named by coding keys: a
/// structure whose `CodingKeys` give a property another property's name is not supported in
/// predicates.
enum KeyPathNames {
  private struct Key: Hashable, @unchecked Sendable {
    // Unchecked: key paths without captured subscript arguments are immutable.
    let keyPath: AnyKeyPath
  }

  private static let cache = Mutex<[Key: [String]]>([:])

  /// The names below the root, or nil when one of them isn't known.
  static func names(of keyPath: AnyKeyPath) -> [String]? {
    let key = Key(keyPath: keyPath)
    if let known = cache.withLock({ $0[key] }) { return known.isEmpty ? nil : known }
    let description = keyPath.debugDescription
    var names: [String] = []
    if let dot = description.firstIndex(of: ".") {
      names = split(description[description.index(after: dot)...]) ?? []
    }
    cache.withLock { $0[key] = names }
    return names.isEmpty ? nil : names
  }

  /// The names of `keyPath` below `prefix`, which it begins with; nil when it doesn't.
  static func names(of keyPath: AnyKeyPath, below prefix: AnyKeyPath) -> [String]? {
    guard let rest = text(of: keyPath, below: prefix) else { return nil }
    return split(rest)
  }

  /// The same of a description without its root.
  static func names(in steps: Substring, below prefix: AnyKeyPath) -> [String]? {
    guard let rest = text(in: steps, below: prefix) else { return nil }
    return split(rest)
  }

  /// The description of a key path behind its root, without the optional that a chain ends in.
  ///
  /// Computed properties, as those of models are, stand there with the address of their getter,
  /// which is theirs alone.
  static func steps(of keyPath: AnyKeyPath) -> Substring? {
    let description = keyPath.debugDescription
    guard let dot = description.firstIndex(of: ".") else { return nil }
    return trimmed(description[description.index(after: dot)...])
  }

  /// The description of the steps of `keyPath` that come after `prefix`; nil when it doesn't begin
  /// with that.
  static func text(of keyPath: AnyKeyPath, below prefix: AnyKeyPath) -> Substring? {
    guard let steps = steps(of: keyPath) else { return nil }
    return text(in: steps, below: prefix)
  }

  static func text(in steps: Substring, below prefix: AnyKeyPath) -> Substring? {
    guard let start = self.steps(of: prefix), steps.hasPrefix(start) else { return nil }
    var rest = steps.dropFirst(start.count)
    if rest.first == "?" { rest = rest.dropFirst() }
    guard rest.first == "." else { return nil }
    rest = rest.dropFirst()
    return rest.isEmpty ? nil : rest
  }

  private static func trimmed(_ steps: Substring) -> Substring {
    steps.last == "?" ? steps.dropLast() : steps
  }

  private static func split(_ text: Substring) -> [String]? {
    guard !text.isEmpty, !text.contains(where: { "<>?![] ".contains($0) }) else { return nil }
    return text.split(separator: ".").map(String.init)
  }
}
