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
    let description = keyPath.debugDescription
    let start = prefix.debugDescription
    guard description.hasPrefix(start), description.count > start.count else { return nil }
    var rest = description.dropFirst(start.count)
    if rest.first == "?" { rest = rest.dropFirst() }
    guard rest.first == "." else { return nil }
    rest = rest.dropFirst()
    if rest.last == "?" { rest = rest.dropLast() }
    return split(rest)
  }

  private static func split(_ text: Substring) -> [String]? {
    guard !text.isEmpty, !text.contains(where: { "<>?![] ".contains($0) }) else { return nil }
    return text.split(separator: ".").map(String.init)
  }
}
