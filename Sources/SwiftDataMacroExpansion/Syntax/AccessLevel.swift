import SwiftSyntax

/// The visibility of a declaration, ordered from narrow to wide.
enum AccessLevel: Int, Comparable {
  case `private`, `fileprivate`, `internal`, package, `public`, open

  static func < (left: AccessLevel, right: AccessLevel) -> Bool {
    left.rawValue < right.rawValue
  }

  /// Reads the level that `modifiers` declare, or `internal` when they declare none. `private(set)`
  /// and similar modifiers concern only the setter and don't count.
  init(_ modifiers: DeclModifierListSyntax) {
    self = .internal
    for modifier in modifiers where modifier.detail == nil {
      switch modifier.name.tokenKind {
      case .keyword(.private): self = .private
      case .keyword(.fileprivate): self = .fileprivate
      case .keyword(.package): self = .package
      case .keyword(.public): self = .public
      case .keyword(.open): self = .open
      default: continue
      }
    }
  }

  /// The modifier, followed by a space, of a member that must be as visible as its type. Narrow
  /// types need none: the type itself limits its members.
  var prefixOfWitness: String {
    switch self {
    case .private, .fileprivate, .internal: ""
    case .package: "package "
    case .public, .open: "public "
    }
  }
}
