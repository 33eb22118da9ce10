import SwiftDiagnostics
import SwiftIfConfig
import SwiftParser
import SwiftParserDiagnostics
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
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

/// A source file whose macros are expanded.
private struct Expanded {
  let file: SourceFileSyntax
  let result: Syntax
  let context: BasicMacroExpansionContext

  init(_ source: String) {
    let file = Parser.parse(source: source)
    let context = BasicMacroExpansionContext(
      sourceFiles: [file: .init(moduleName: "Tests", fullFilePath: "Tests.swift")],
      buildConfiguration: testBuild)
    self.file = file
    self.context = context
    result = file.expand(
      macroSpecs: macros,
      contextGenerator: { node in
        BasicMacroExpansionContext(
          sharingWith: context, lexicalContext: node.allMacroLexicalContexts())
      }, indentationWidth: .spaces(2))
  }

  /// The diagnostics of the macros, in their order.
  var diagnostics: [ExpectedDiagnostic] {
    context.diagnostics.map { diagnostic in
      let place = context.location(
        for: diagnostic.position, anchoredAt: diagnostic.node, fileName: "")
      return ExpectedDiagnostic(
        id: diagnostic.diagMessage.diagnosticID, message: diagnostic.message, line: place.line,
        column: place.column, severity: diagnostic.diagMessage.severity,
        fixIts: diagnostic.fixIts.map(\.message.message))
    }
  }

  /// Returns the source after the fix-its with the messages, or after the first of each diagnostic.
  func fixed(by messages: [String]?) throws -> String {
    let chosen = messages ?? context.diagnostics.compactMap { $0.fixIts.first?.message.message }
    let changes = context.diagnostics.flatMap(\.fixIts)
      .filter { chosen.contains($0.message.message) }.flatMap(\.changes)
    var edits: [(range: Range<Int>, text: String)] = []
    for change in changes {
      guard case .replace(let old, let new) = change else {
        throw UnknownChange(description: "\(change)")
      }
      edits.append(
        (offset(of: old.position, in: old)..<offset(of: old.endPosition, in: old), "\(new)"))
    }
    var bytes = Array(file.description.utf8)
    for edit in edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
      bytes.replaceSubrange(edit.range, with: edit.text.utf8)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the number of bytes before a position of a node that a macro got.
  private func offset(of position: AbsolutePosition, in node: Syntax) -> Int {
    context.location(for: position, anchoredAt: node, fileName: "").offset
  }
}

/// A change of a fix-it that isn't a replacement; the macros have no other ones.
private struct UnknownChange: Error, CustomStringConvertible {
  let description: String
}

/// A diagnostic with its place in the source.
struct ExpectedDiagnostic: Equatable {
  var id: MessageID
  var message: String
  var line: Int
  var column: Int
  var severity: DiagnosticSeverity
  /// The messages of its fix-its.
  var fixIts: [String]
}

/// Returns the source after the expansion of all its macros.
func expansion(of source: String) -> String {
  Expanded(source).result.description
}

/// Returns the lines of the expansion without indentation and empty lines.
func expandedLines(of source: String) -> [String] {
  expansion(of: source).split(separator: "\n").map { line in
    String(line.drop(while: { $0 == " " }))
  }
}

/// Compares the whole expansion and its diagnostics with the expected ones.
func expectExpansion(
  of source: String, _ expected: String, diagnostics: [ExpectedDiagnostic] = [],
  at location: Testing.SourceLocation = #_sourceLocation
) {
  let expanded = Expanded(source)
  expectSyntax(of: expanded.result, at: location)
  #expect(
    withoutOuterNewlines(expanded.result.description) == withoutOuterNewlines(expected),
    sourceLocation: location)
  #expect(expanded.diagnostics == diagnostics, sourceLocation: location)
}

/// Compares the diagnostics of an expansion, and the source after the named fix-its, with the
/// expected ones. The text of the expansion isn't compared.
func expectDiagnostics(
  of source: String, _ diagnostics: [ExpectedDiagnostic], applying fixIts: [String]? = nil,
  fixedSource: String? = nil, at location: Testing.SourceLocation = #_sourceLocation
) {
  let expanded = Expanded(source)
  expectSyntax(of: expanded.result, at: location)
  #expect(expanded.diagnostics == diagnostics, sourceLocation: location)
  guard let fixedSource else { return }
  #expect(throws: Never.self, sourceLocation: location) {
    let fixed = try expanded.fixed(by: fixIts)
    #expect(
      withoutTrailingSpaces(fixed) == withoutTrailingSpaces(fixedSource), sourceLocation: location)
  }
}

/// An expansion has no errors of syntax.
private func expectSyntax(of expanded: Syntax, at location: Testing.SourceLocation) {
  let errors = ParseDiagnosticsGenerator.diagnostics(for: expanded)
  #expect(
    errors.isEmpty,
    "\(DiagnosticsFormatter.annotatedSource(tree: expanded, diags: errors))",
    sourceLocation: location)
}

/// Returns a diagnostic of this plugin at a position.
func diagnostic(
  _ code: ModelDiagnosticCode, _ message: String, line: Int, column: Int,
  severity: DiagnosticSeverity = .error, fixIts: [String] = []
) -> ExpectedDiagnostic {
  ExpectedDiagnostic(
    id: MessageID(domain: "SwiftDataMacros", id: code.rawValue), message: message, line: line,
    column: column, severity: severity, fixIts: fixIts)
}

private func withoutOuterNewlines(_ text: String) -> Substring {
  var text = text[...].drop(while: \.isNewline)
  while text.last?.isNewline == true { text.removeLast() }
  return text
}

private func withoutTrailingSpaces(_ text: String) -> String {
  text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
    var line = line
    while line.last == " " { line.removeLast() }
    return line
  }.joined(separator: "\n")
}
