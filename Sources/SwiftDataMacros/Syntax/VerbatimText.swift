import SwiftSyntax

// The compiler asks a macro for syntax and gets text: swift-syntax writes the nodes out as they are where the macro
// doesn't have them laid out (`FormatMode.disabled`). A literal with interpolations is parsed to become a node, and
// plugins are mostly built for debugging, where parsing what `@Model` writes took more than half of the plugin's time.
// So text that nobody looks into again becomes one token.

extension DeclSyntax {
  /// Declarations whose text is passed on as it is, without being parsed.
  init(verbatim text: String) {
    self.init(MissingDeclSyntax(placeholder: .identifier(text)))
  }
}

extension AccessorDeclSyntax {
  /// Accessors whose text is passed on as it is, without being parsed.
  init(verbatim text: String) {
    self.init(accessorSpecifier: .identifier(text))
  }
}

extension AttributeSyntax {
  /// An attribute whose text behind the `@` is passed on as it is, without being parsed.
  init(verbatim text: String) {
    self.init(attributeName: IdentifierTypeSyntax(name: .identifier(text)))
  }
}
