import Foundation
import Synchronization

/// The names of the stored properties along a key path.
///
/// A key path contains names only for stored properties, in its debug description:
/// `\Location.name`. A computed property appears as `<computed 0x… (Type)>`. Columns are named by
/// coding keys: a structure whose `CodingKeys` give a property another property's name is not
/// supported in predicates.
enum KeyPathNames {
  private struct Key: Hashable, @unchecked Sendable {
    // Unchecked: key paths without captured subscript arguments are immutable.
    let keyPath: AnyKeyPath
  }

  private static let cache = Mutex<[Key: [String]]>([:])

  /// The names after the root, or nil when one of them isn't known.
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

  /// The names of `keyPath` after `prefix`; nil when it doesn't begin with `prefix`.
  static func names(of keyPath: AnyKeyPath, below prefix: AnyKeyPath) -> [String]? {
    guard let rest = text(of: keyPath, below: prefix) else { return nil }
    return split(rest)
  }

  /// The names after `prefix` in a description without its root.
  static func names(in steps: Substring, below prefix: AnyKeyPath) -> [String]? {
    guard let rest = text(in: steps, below: prefix) else { return nil }
    return split(rest)
  }

  /// The description of a key path after its root, without the trailing `?` of an optional chain.
  ///
  /// Computed properties, such as those of models, appear with the address of their getter, which
  /// is unique.
  static func steps(of keyPath: AnyKeyPath) -> Substring? {
    let description = keyPath.debugDescription
    guard let dot = description.firstIndex(of: ".") else { return nil }
    return trimmed(description[description.index(after: dot)...])
  }

  /// The description of the steps of `keyPath` after `prefix`; nil when it doesn't begin with
  /// `prefix`.
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

  /// Steps with `?` in place of `!`.
  static func withoutForce(_ steps: Substring) -> Substring {
    trimmed(Substring(String(steps.map { $0 == "!" ? "?" : $0 })))
  }

  private static func trimmed(_ steps: Substring) -> Substring {
    steps.last == "?" ? steps.dropLast() : steps
  }

  private static func split(_ text: Substring) -> [String]? {
    guard !text.isEmpty, !text.contains(where: { "<>?![] ".contains($0) }) else { return nil }
    return text.split(separator: ".").map(String.init)
  }
}
