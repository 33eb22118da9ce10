import SwiftDiagnostics
import SwiftSyntax

/// What is wrong with the class's properties, in their order.
extension ModelClass {
  var diagnostics: [Diagnostic] { [] }
}
