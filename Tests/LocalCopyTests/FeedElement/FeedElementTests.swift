import Foundation
import Testing

@testable import LocalCopy

@Suite("A structure with @FeedElement is filled straight from the bytes")
struct FeedElementTests {
  @Test("Every kind of property") func everything() throws {
    let text = """
      {"t":"a","flag":true,"i8":-1,"i16":2,"i32":3,"i64":4,"u":5,"u8":6,"u16":7,"u32":8,"u64":9,
       "f":0.5,"d":1e-3,"i":10,"the date":1000,"é":"b","part":{"n":1},"parts":[{"n":2,"t":"c"}],
       "numbers":[[1,null],[]],"table":{"k":1},"kind":"blast","kinds":[null,"quake"],
       "address":"http://example.org/","more":[{"a":[{}]}]}
      """
    let element = try #require(
      try filled(
        Everything.self, text, decoding: JSONDecodingOptions(dates: .millisecondsSince1970)))
    #expect(element.text == "a" && element.flag == true && element.maybeText == "b")
    #expect(element.i8 == -1 && element.i16 == 2 && element.i32 == 3 && element.i64 == 4)
    #expect(element.u == 5 && element.u8 == 6 && element.u16 == 7 && element.u32 == 8)
    #expect(element.u64 == 9 && element.f == 0.5 && element.d == 0.001 && element.i == 10)
    #expect(element.date == Date(timeIntervalSince1970: 1))
    #expect(element.part?.n == 1 && element.part?.t == nil && element.part?.fixed == 5)
    #expect(element.parts?.map(\.t) == ["c"] && element.numbers == [[1, nil], []])
    #expect(element.table == ["k": 1] && element.kind == .blast && element.kinds == [nil, .quake])
    #expect(element.address?.host() == "example.org" && element.leftOut == "left out")
  }

  @Test("Members may be in any order, missing or null where they are optional")
  func orders() throws {
    let element = try filled(Everything.self, #"{"d":null,"i":2,"x":0,"flag":null,"t":""}"#)
    #expect(element?.i == 2 && element?.text.isEmpty == true && element?.d == nil)
    #expect(
      try filled(Everything.self, #"{"\u0074":"x","\u00e9":"y","\/":0,"i":0}"#)?.maybeText == "y")
  }

  @Test(
    "Dates by each strategy",
    arguments: [
      (JSONDateStrategy.deferredToDate, "-7.5"), (.secondsSince1970, "1e3"),
      (.millisecondsSince1970, "1746366775123"), (.iso8601, #""2025-05-04T13:52:55Z""#),
      (.custom { Date(timeIntervalSince1970: try Double(from: $0) * 60) }, "2"),
    ])
  func dates(strategy: JSONDateStrategy, text: String) throws {
    let options = JSONDecodingOptions(dates: strategy)
    let document = #"{"t":"","i":0,"the date":\#(text)}"#
    let element = try #require(try filled(Everything.self, document, decoding: options))
    let general = try JSONElementDecoder(options).decode(
      Everything.self, document: Array(document.utf8))
    #expect(element.date != nil && element == general)
  }

  @Test(
    "Other forms are left to the general decoder",
    arguments: [
      "null", "[]", #"{"i":0}"#, #"{"t":null,"i":0}"#, #"{"t":1,"i":0}"#, #"{"t":"","i":1.5}"#,
      #"{"t":"","i":0,"i8":128}"#, #"{"t":"","i":0,"d":1e400}"#, #"{"t":"\ud800","i":0}"#,
      #"{"t":"","t":"","i":0}"#, #"{"\u0074":"","t":"","i":0}"#, #"{"\udc00":0,"t":"","i":0}"#,
      #"{"t":"","i":0"#, #"{"t":"","#,
      #"{"t":"","i":0,"kind":"other"}"#, #"{"t":"","i":01}"#, #"{"t":"","i":0,}"#, "{", "",
      #"{"t":"","i":0,"parts":[{"n":1},]}"#, #"{"t":"","i":0,"flag":tru}"#, #"{t:"","i":0}"#,
    ])
  func leftToTheGeneralDecoder(text: String) throws {
    #expect(try filled(Everything.self, text) == nil)
  }

  @Test(
    "Unused members are validated like the rest",
    arguments: JSONGrammarTests.refused.filter { !$0.trimmingWhitespace.isEmpty })
  func strict(value: String) throws {
    for document in [#"{"children":[],"x":\#(value)}"#, #"{"x":[\#(value)],"children":[]}"#] {
      // Some values close the element themselves; then the error is in the text after it.
      if !value.contains(where: { "]}".contains($0) }) {
        #expect(try filled(Tree.self, document) == nil)
      }
      try expectSameImport(of: Tree.self, Array("[\(document)]".utf8))
    }
  }

  @Test("Valid values are skipped", arguments: JSONGrammarTests.accepted)
  func skipped(value: String) throws {
    #expect(try filled(Tree.self, #"{"x":\#(value),"children":[],"y":[\#(value)]}"#) != nil)
  }

  @Test(
    "Invalid UTF-8 is refused, in used and unused members",
    arguments: [
      [0x80], [0xC3], [0xC0, 0x80], [0xC1, 0xBF], [0xE2, 0x82], [0xE0, 0x9F, 0xBF],
      [0xED, 0xA0, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80],
      [0xF5, 0x80, 0x80, 0x80],
      [0xE2, 0x28, 0xA1], [0xE2, 0x82, 0x28], [0xF0, 0x9F, 0x98, 0x28], [0xFF], [0x1F],
    ] as [[UInt8]])
  func encodings(text: [UInt8]) throws {
    for (head, tail) in [(#"{"t":""#, #"","i":0}"#), (#"{"t":"","i":0,"x":["a"#, #""]}"#)] {
      let document = Array(head.utf8) + text + Array(tail.utf8)
      #expect(try filled(Everything.self, document) == nil)
      try expectSameImport(
        of: Everything.self, [UInt8(ascii: "[")] + document + [UInt8(ascii: "]")])
    }
  }

  @Test(
    "JSONTestSuite: the same for the value of an unused member",
    .enabled(
      if: SharedData.exists("json-test-suite"), "\(SharedData.absence("json-test-suite"))"))
  func testSuite() throws {
    let folder = "json-test-suite/test_parsing"
    for name in try SharedData.names(in: folder, suffix: ".json") {
      let value = try SharedData.bytes("\(folder)/\(name)")
      let document = Array(#"[{"children":[],"x":"#.utf8) + value + Array("}]".utf8)
      let found = try expectSameImport(of: Tree.self, document)
      if name.hasPrefix("y_") { #expect(found.count == 1, "\(name)") }
    }
  }

  @Test("Depth is limited, in skipped values and in types that contain themselves")
  func depth() throws {
    func tree(_ depth: Int) -> String {
      String(repeating: #"{"children":["#, count: depth) + String(repeating: "]}", count: depth)
    }
    #expect(try filled(Tree.self, tree(32)) != nil)
    #expect(try filled(Tree.self, tree(33)) == nil)
    #expect(try filled(Tree.self, tree(2), depth: 3) == nil)
    for levels in [62, 63, 64, 100_000] {
      let open = String(repeating: "[", count: levels)
      let document = #"{"x":\#(open)\#(String(repeating: "]", count: levels)),"children":[]}"#
      #expect(try (filled(Tree.self, document) != nil) == (levels < 64))
      try expectSameImport(of: Tree.self, Array("[\(document)]".utf8))
      #expect(try filled(Tree.self, #"{"x":"# + open) == nil)
    }
    try expectSameImport(
      of: Tree.self, Array("[\(tree(40))]".utf8), limits: JSONLimits(maximumDepth: 200))
  }

  @Test("An element over the limit is skipped") func oversized() throws {
    let long = #"{"x":"\#(String(repeating: "x", count: 500))","children":[]}"#
    let document = Array(#"[\#(long),{"children":[]}]"#.utf8)
    let limits = JSONLimits(maximumElementBytes: 500)
    let found = try imported(Tree.self, document, limits: limits)
    #expect(found.elements.count == 1 && found.skipped.map(\.index) == [0])
    try expectSameImport(of: Tree.self, document, limits: limits)
  }

  @Test("The import takes elements from the bytes wherever pieces are cut") func pieces() throws {
    var random = SeededGenerator(seed: 5)
    let objects = (0..<12).map { _ in RandomElements.object(using: &random) }
    let document = Array(#"{"a":{"b":[\#(objects.joined(separator: ", "))]},"c":[{}]}"#.utf8)
    for size in [1, 2, 7, 64, 1000, document.count] {
      try expectSameImport(of: Everything.self, document, at: "a.b", pieceSize: size)
    }
  }
}
