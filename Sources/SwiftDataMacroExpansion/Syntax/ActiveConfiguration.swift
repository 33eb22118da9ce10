import SwiftIfConfig
import SwiftSyntaxMacros

extension MacroExpansionContext {
  /// The settings that decide which branch of `#if` is compiled, and the language's version; nil where they are
  /// unknown, as with swift-syntax before 603: then the first branch counts.
  var activeConfiguration: (any BuildConfiguration)? {
    // scripts/macros defines the second: a toolchain's swift-syntax has no modules for its versions.
    #if canImport(SwiftSyntax603) || OSD_SYNTAX_OF_TOOLCHAIN
      buildConfiguration
    #else
      nil
    #endif
  }
}
