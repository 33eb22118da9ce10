import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// The codes of the diagnostics of this plugin's macros. The raw value identifies the message for
/// tools and tests.
enum ModelDiagnosticCode: String, CaseIterable {
  case modelNeedsClass
  case globalActor
  case observableModel
  case storageNameTaken
  case constantIsNotPersisted
  case constantIsNotRestored
  case transientNeedsDefault
  case severalBindings
  case tuplePattern
  case unownedProperty
  case propertyWrapper
  case attributeAndRelationship
  case uniqueToMany
  case relationshipToValue
  case repeatedAnnotation
  case uniqueEphemeral
  case preservedExternal
  case lazyIsNotPersisted
  case shadowsModelMember
  case annotationNeedsProperty
  case annotationNeedsStoredProperty
  case annotationOnTransient
  case constraintOutsideModel
  case constraintOfAnotherClass
  case constraintOnUnsuitableProperty
  case modelActorNeedsActor
  case queryNeedsResults
  case snapshotNeedsModel
  case snapshotOfSubclass
  case snapshotOfGenericClass
  case feedElementNeedsStructure
  case feedElementIsGeneric
  case feedElementDecodesItself
  case feedElementNeedsNames
  case feedElementHasWrapper
}

/// The text of a diagnostic or of a fix-it, with its identifier.
struct ModelMessage: DiagnosticMessage, FixItMessage {
  let message: String
  let code: ModelDiagnosticCode
  var severity: DiagnosticSeverity = .error

  var diagnosticID: MessageID { MessageID(domain: "SwiftDataMacros", id: code.rawValue) }
  var fixItID: MessageID { diagnosticID }
}

extension Diagnostic {
  /// Makes a message of this plugin at `node`.
  init(
    _ code: ModelDiagnosticCode, at node: some SyntaxProtocol, _ message: String,
    severity: DiagnosticSeverity = .error, fixIts: [FixIt] = []
  ) {
    self.init(
      node: node, message: ModelMessage(message: message, code: code, severity: severity),
      fixIts: fixIts)
  }
}

extension FixIt {
  /// Replaces one node, on behalf of a diagnostic.
  static func replace(
    _ old: some SyntaxProtocol, with new: some SyntaxProtocol, _ message: String,
    for code: ModelDiagnosticCode
  ) -> FixIt {
    FixIt(
      message: ModelMessage(message: message, code: code),
      changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
  }
}
