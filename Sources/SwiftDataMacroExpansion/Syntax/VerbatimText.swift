import SwiftSyntax

// The compiler requests syntax from a macro and gets text: swift-syntax writes the nodes out unchanged when the macro
// turns layout off (`FormatMode.disabled`). A literal with interpolations is parsed into a node, and plugins are mostly
// built for debugging, where parsing the output of `@Model` took more than half of the plugin's time. So text that no
// other code inspects becomes one token.

extension DeclSyntax {
  /// Makes declarations whose text is passed on unchanged, without being parsed.
  init(verbatim text: String) {
    self.init(MissingDeclSyntax(placeholder: .identifier(text)))
  }
}

extension AccessorDeclSyntax {
  /// Makes accessors whose text is passed on unchanged, without being parsed.
  init(verbatim text: String) {
    self.init(accessorSpecifier: .identifier(text))
  }
}

extension AttributeSyntax {
  /// Makes an attribute whose text behind the `@` is passed on unchanged, without being parsed.
  init(verbatim text: String) {
    self.init(attributeName: IdentifierTypeSyntax(name: .identifier(text)))
  }
}
