import SwiftSyntax

/// How far a declaration can be seen. The order is from narrow to wide.
enum AccessLevel: Int, Comparable {
  case `private`, `fileprivate`, `internal`, package, `public`, open

  static func < (left: AccessLevel, right: AccessLevel) -> Bool {
    left.rawValue < right.rawValue
  }

  /// Reads the level that `modifiers` write, or `internal` when they write none.
  /// `private(set)` and its like speak of the setter only and don't count.
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

  /// The modifier, with a space behind it, of a member that must be as visible as its type.
  /// Narrow types need none: their members are capped by the type itself.
  var prefixOfWitness: String {
    switch self {
    case .private, .fileprivate, .internal: ""
    case .package: "package "
    case .public, .open: "public "
    }
  }
}
