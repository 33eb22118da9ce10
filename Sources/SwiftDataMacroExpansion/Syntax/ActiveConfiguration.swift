import SwiftIfConfig
import SwiftSyntaxMacros

extension MacroExpansionContext {
  /// The settings that decide which branch of `#if` is compiled, and the language's version; nil where they are
  /// unknown, as with swift-syntax before 603: then the first branch counts.
  var activeConfiguration: (any BuildConfiguration)? {
    #if canImport(SwiftSyntax603)
      buildConfiguration
    #else
      nil
    #endif
  }
}
