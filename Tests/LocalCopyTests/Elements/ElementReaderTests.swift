import Foundation
import LocalCopy
import Testing

@Suite("The elements of a document without a store")
struct ElementReaderTests {
  private struct Reading: Decodable, Equatable {
    var id: Int
    var name: String?
  }

  /// Returns the elements of a document that is read in pieces of a size; bad elements become
  /// "bad".
  private func read<Element: Decodable>(
    _ type: Element.Type, _ text: String, at path: JSONPath = "list", pieces: Int = 1 << 16,
    limits: JSONLimits = JSONLimits(), _ describe: (Element) -> String
  ) throws -> [String] {
    let reader = ElementReader<Element>(at: path, limits: limits)
    var found: [String] = []
    let document = Data(text.utf8)
    for start in stride(from: 0, to: document.count, by: pieces) {
      try reader.read(document[start..<min(start + pieces, document.count)]) { index, element in
        let text = try? element.get()
        found.append("\(index) \(text.map(describe) ?? "bad")")
      }
    }
    try reader.finish()
    return found
  }

  private let document =
    #"{"count": 4, "list": [{"id": 1, "name": "a\u0301"}, {"id": "x"}, {"id": 3}, {"name": "é", "id": 4}], "next": null}"#

  @Test("arrive in order, for pieces of any size", arguments: [1, 2, 7, 40, 1 << 16])
  func pieces(size: Int) throws {
    let found = try read(Reading.self, document, pieces: size) { "\($0.id) \($0.name ?? "-")" }
    #expect(found == ["0 1 a\u{301}", "1 bad", "2 3 -", "3 4 é"])
  }

  @Test("come straight from the bytes as by Decodable", arguments: [1, 5, 33, 1 << 16])
  func direct(size: Int) throws {
    let text = #"[{"children": [{"children": []}]}, {"children": 1}, {"children": []}]"#
    func depth(_ tree: Tree) -> Int { 1 + (tree.children.map(depth).max() ?? 0) }
    let direct = try read(Tree.self, text, at: .root, pieces: size) { "\(depth($0))" }
    let general = try read(Plainly<Tree>.self, text, at: .root, pieces: size) {
      "\(depth($0.value))"
    }
    #expect(direct == ["0 2", "1 bad", "2 1"])
    #expect(general == direct)
  }

  @Test("have the reason and the place of an invalid one")
  func reasons() throws {
    let reader = ElementReader<Reading>(at: "list", limits: JSONLimits(maximumElementBytes: 40))
    var reasons: [String] = []
    let text =
      #"{"list": [{"id": true}, {"id": 1, "name": "\#(String(repeating: "x", count: 50))"}]}"#
    try reader.read(Data(text.utf8)) { _, element in
      if case .failure(let error) = element { reasons.append("\(error)") }
    }
    try reader.finish()
    #expect(reasons.count == 2)
    #expect(reasons.first?.contains("id") == true)
    #expect(reasons.last?.contains("$.list[1] has more bytes than the limit") == true)
  }

  @Test(
    "end with an error at the place where the document becomes invalid",
    arguments: [
      (#"{"list": [1, 2,,]}"#, false), (#"{"list": 5}"#, false), (#"{"other": []}"#, true),
      (#"{"list": [1"#, true), ("", true), (#"{"list": []} x"#, false),
    ])
  func refusals(text: String, atEnd: Bool) throws {
    let reader = ElementReader<Int>(at: "list")
    func readAll() throws { try reader.read(Data(text.utf8)) { _, _ in } }
    if atEnd { try readAll() } else { #expect(throws: LocalCopyError.self) { try readAll() } }
    #expect(throws: LocalCopyError.self) { try reader.finish() }
    #expect(throws: LocalCopyError.self) { try readAll() }
    #expect(throws: LocalCopyError.self) { try reader.finish() }
  }

  @Test("of the next piece aren't taken from within this one")
  func nested() throws {
    let reader = ElementReader<Int>(at: .root)
    #expect(throws: LocalCopyError.self) {
      try reader.read(Data("[1, 2]".utf8)) { _, _ in
        try reader.read(Data("3]".utf8)) { _, _ in }
      }
    }
  }

  @Test("are left when the caller throws")
  func callersErrors() throws {
    struct Enough: Error {}
    let reader = ElementReader<Int>(at: .root)
    var seen = 0
    #expect(throws: Enough.self) {
      try reader.read(Data("[1, 2, 3]".utf8)) { _, _ in
        seen += 1
        if seen == 2 { throw Enough() }
      }
    }
    #expect(seen == 2)
    #expect(throws: Enough.self) { try reader.finish() }
  }
}
