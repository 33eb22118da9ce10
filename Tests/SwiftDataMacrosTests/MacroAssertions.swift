import SwiftDiagnostics
import SwiftIfConfig
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import SwiftDataMacroExpansion

/// The macros under their names in source code.
private var macros: [String: MacroSpec] {
  [
    "Model": MacroSpec(
      type: PersistentModelMacro.self, conformances: ["PersistentModel", "Observable", "Sendable"]),
    "ModelActor": MacroSpec(type: PersistentModelActorMacro.self, conformances: ["ModelActor"]),
    "Snapshotable": MacroSpec(
      type: SnapshotableMacro.self, conformances: ["SnapshotableModel"]),
    "SnapshotIgnored": MacroSpec(type: SnapshotIgnoredMacro.self),
    "FeedElement": MacroSpec(type: FeedElementMacro.self, conformances: ["FeedElement"]),
    "Query": MacroSpec(type: QueryMacro.self),
    "Attribute": MacroSpec(type: AttributePropertyMacro.self),
    "Relationship": MacroSpec(type: RelationshipPropertyMacro.self),
    "Transient": MacroSpec(type: TransientPropertyMacro.self),
    "Unique": MacroSpec(type: UniqueConstraintsMacro.self),
    "Index": MacroSpec(type: IndexMacro.self),
    "_PersistedProperty": MacroSpec(type: PersistedPropertyMacro.self),
    "_TransformablePersistedProperty": MacroSpec(type: TransformablePersistedPropertyMacro.self),
  ]
}

/// The build configuration for expansions: Linux, with the condition `EXTRA` set.
var testBuild: StaticBuildConfiguration {
  StaticBuildConfiguration(
    customConditions: ["EXTRA"], targetOSs: ["Linux"], languageVersion: VersionTuple(6),
    compilerVersion: VersionTuple(6, 3))
}

/// Returns the source after the expansion of all its macros.
func expansion(of source: String) -> String {
  let file = Parser.parse(source: source)
  let context = BasicMacroExpansionContext(
    sourceFiles: [file: .init(moduleName: "Tests", fullFilePath: "Tests.swift")],
    buildConfiguration: testBuild)
  let expanded = file.expand(
    macroSpecs: macros,
    contextGenerator: { node in
      BasicMacroExpansionContext(
        sharingWith: context, lexicalContext: node.allMacroLexicalContexts())
    }, indentationWidth: .spaces(2))
  return expanded.description
}

/// Returns the lines of the expansion without indentation and empty lines.
func expandedLines(of source: String) -> [String] {
  expansion(of: source).split(separator: "\n").map { line in
    String(line.drop(while: { $0 == " " }))
  }
}

/// Compares the whole expansion and its diagnostics with the expected ones.
func expectExpansion(
  of source: String, _ expected: String, diagnostics: [DiagnosticSpec] = [],
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column
) {
  assertMacroExpansion(
    source, expandedSource: expected, diagnostics: diagnostics, macroSpecs: macros,
    indentationWidth: .spaces(2), buildConfiguration: testBuild, failureHandler: record,
    fileID: fileID, filePath: filePath, line: line, column: column)
}

/// Compares the diagnostics of an expansion, and the source after the named fix-its, with the
/// expected ones. The text of the expansion isn't compared.
func expectDiagnostics(
  of source: String, _ diagnostics: [DiagnosticSpec], applying fixIts: [String]? = nil,
  fixedSource: String? = nil, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) {
  assertMacroExpansion(
    source, expandedSource: expansion(of: source), diagnostics: diagnostics, macroSpecs: macros,
    applyFixIts: fixIts, fixedSource: fixedSource, indentationWidth: .spaces(2),
    buildConfiguration: testBuild, failureHandler: record, fileID: fileID, filePath: filePath,
    line: line, column: column)
}

/// Returns a diagnostic of this plugin at a position.
func diagnostic(
  _ code: ModelDiagnosticCode, _ message: String, line: Int, column: Int,
  severity: DiagnosticSeverity = .error, fixIts: [String] = []
) -> DiagnosticSpec {
  DiagnosticSpec(
    id: MessageID(domain: "SwiftDataMacros", id: code.rawValue), message: message, line: line,
    column: column, severity: severity, fixIts: fixIts.map { FixItSpec(message: $0) })
}

private func record(_ failure: TestFailureSpec) {
  Issue.record(
    Comment(rawValue: failure.message),
    sourceLocation: SourceLocation(
      fileID: failure.location.fileID, filePath: failure.location.filePath,
      line: Int(failure.location.line), column: Int(failure.location.column)))
}
