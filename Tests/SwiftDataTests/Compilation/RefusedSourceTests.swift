import Foundation
import Testing

/// Every source of `Tests/MustNotCompile` has its diagnostics in a file beside it whose name ends in `.diagnostics`.
/// `OPENSWIFTDATA_TEST_REWRITE_DIAGNOSTICS=1` rewrites these files.
@Suite("Invalid code is refused at the right place", .serialized)
struct RefusedSourceTests {
  private static let isRewriting =
    TestEnvironment.text("OPENSWIFTDATA_TEST_REWRITE_DIAGNOSTICS") == "1"

  @Test(
    "with the diagnostics beside the source",
    arguments: [
      ("Macros", SourceFolder.Depth.types), ("Constraints", .types), ("Types", .types),
      ("Actors", .types), ("Sending", .flow),
    ])
  func diagnostics(name: String, depth: SourceFolder.Depth) async throws {
    let folder = try SourceFolder("MustNotCompile/\(name)")
    let output = try await folder.compile(depth)
    let found = Dictionary(grouping: CompilerFinding.findings(in: output), by: \.file)
    let names = Set(folder.sources.map(\.lastPathComponent))
    for (file, strays) in found where !names.contains(file) {
      Issue.record("\(file) isn't a source of \(name): \(strays.map(\.golden))")
    }
    for source in folder.sources {
      let findings = (found[source.lastPathComponent] ?? [])
      let golden = source.deletingPathExtension().appendingPathExtension("diagnostics")
      try compare(findings, with: golden, of: "\(name)/\(source.lastPathComponent)")
    }
  }

  @Test("and none of the golden files has lost its source")
  func orphans() throws {
    let root = Compiler.root.appending(path: "Tests/MustNotCompile")
    let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
    var count = 0
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "diagnostics" else { continue }
      count += 1
      let source = file.deletingPathExtension().appendingPathExtension("swift")
      #expect(FileManager.default.fileExists(atPath: source.path), "\(file.path) has no source")
    }
    #expect(count > 0 || Self.isRewriting)
  }

  private func compare(_ findings: [CompilerFinding], with file: URL, of source: String) throws {
    // Within a line ours come first. The compiler's have no fixed order: it differs between its versions.
    let ordered = findings.enumerated().sorted { left, right in
      let (first, second) = (left.element, right.element)
      if first.line != second.line { return first.line < second.line }
      if first.isOurs != second.isOurs { return first.isOurs }
      return first.isOurs ? left.offset < right.offset : first.severity < second.severity
    }
    let found = ordered.map(\.element.golden)
    guard !found.isEmpty else {
      Issue.record("The compiler has nothing to say about \(source).")
      return
    }
    if Self.isRewriting {
      try (found.joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)
      return
    }
    guard FileManager.default.fileExists(atPath: file.path) else {
      Issue.record(
        "\(source) has no \(file.lastPathComponent). Found:\n\(found.joined(separator: "\n"))")
      return
    }
    let expected = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(
      String.init)
    let difference = Self.difference(from: expected, to: found)
    #expect(
      difference.isEmpty,
      "\(source): - is expected, + is found\n\(difference.joined(separator: "\n"))")
  }

  /// Returns the lines that differ, in their order.
  private static func difference(from expected: [String], to found: [String]) -> [String] {
    let changes = found.map(CompilerFinding.compared)
      .difference(from: expected.map(CompilerFinding.compared))
    return changes.map { change in
      switch change {
      case .remove(let offset, _, _): "- \(expected[offset])"
      case .insert(let offset, _, _): "+ \(found[offset])"
      }
    }
  }
}
