import SwiftDiagnostics
import SwiftSyntax

/// Diagnostics about `@FeedElement`.
extension Diagnostic {
  /// The diagnostic for `@FeedElement` on a class, an enumeration or an actor.
  static func feedElementNeedsStructure(_ attribute: AttributeSyntax) -> Diagnostic {
    Diagnostic(
      .feedElementNeedsStructure, at: attribute,
      "@FeedElement can only be applied to a structure")
  }

  /// The diagnostic for `@FeedElement` on a structure with generic parameters.
  static func feedElementIsGeneric(_ parameters: GenericParameterClauseSyntax) -> Diagnostic {
    Diagnostic(
      .feedElementIsGeneric, at: parameters,
      "@FeedElement can't be applied to a generic structure: it writes down the keys of the members once for a type"
    )
  }

  /// The diagnostic for `@FeedElement` on a structure that decodes itself.
  static func feedElementDecodesItself(_ initializer: InitializerDeclSyntax) -> Diagnostic {
    Diagnostic(
      .feedElementDecodesItself, at: initializer.initKeyword,
      "@FeedElement doesn't know what 'init(from:)' does: leave it to the compiler, or remove '@FeedElement'"
    )
  }

  /// The diagnostic for a pattern of several names.
  static func feedElementNeedsNames(_ pattern: PatternSyntax) -> Diagnostic {
    Diagnostic(
      .feedElementNeedsNames, at: pattern,
      "@FeedElement needs a name for each stored property: declare them one by one")
  }

  /// The diagnostic for a property with a wrapper.
  static func feedElementHasWrapper(_ attribute: AttributeSyntax) -> Diagnostic {
    Diagnostic(
      .feedElementHasWrapper, at: attribute,
      "@FeedElement can't decode a property with '@\(attribute.baseName)': the wrapper has its own decoding"
    )
  }
}
