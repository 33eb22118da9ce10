import Testing

@testable import LocalCopy

@Suite("The grammar is that of RFC 8259")
struct JSONGrammarTests {
  static let accepted = [
    "[]", "{}", " \t\r\n[ ]\n", "0", "-0", "[-0.0]", "1e0", "1E+10", "1e-10", "[123.456e78]",
    "true", "false", "null", "\"\"", #""\"\\\/\b\f\n\r\t\u0000\uFFFF""#, #"{"a":1,"a":2}"#,
    #"{"":0}"#, #"["\ud83d\ude00"]"#, "[[],[[]],{}]", #"[1,2 , 3]"#, #"{"a" : [ {} ] }"#,
    "[1e9999]", #"["\ud800"]"#, "\"\u{7f}\"", "[\"\u{2028}\"]",
  ]
  static let refused = [
    "", " ", "[", "]", "{", "}", "[1,]", "[,1]", "[1 2]", "{,}", #"{"a"}"#, #"{"a":}"#,
    #"{"a":1,}"#, #"{"a" 1}"#, "{a:1}", "{'a':1}", "[01]", "[-]", "[+1]", "[1.]", "[.5]",
    "[1e]", "[1e+]", "[0x1]", "[1.e1]", "[--1]", "[-01]", "[NaN]", "[Infinity]", "[tru]",
    "[True]", "truefalse", "[nulll]", #"["\x"]"#, #"["\u12"]"#, #"["\u123g"]"#, "[\"\n\"]",
    "[\"\u{1f}\"]", "[\"a]", "[1]]", "[1}", "{\"a\":1]", "[] []", "[1]x", "// a\n[]", "[/**/]",
    "\u{FEFF}[]", "[\u{a0}]", "[\u{0c}]", "\0", "[\0]", "1 2", "'a'", "\"a\" \"b\"", "[1],",
    "1.2.3", "-", "1e1e1", "[\"\\", "{\"a\":\"b\"", "*",
  ]

  @Test("Valid documents are accepted, whole and byte by byte", arguments: accepted)
  func acceptedDocument(document: String) throws {
    for size in [1, Int.max] {
      let events = try scan(document, .document, pieceSize: size)
      #expect(events.count == 1)
      #expect(events.first?.text == document.trimmingWhitespace)
    }
  }

  @Test("Invalid documents are refused, whole and byte by byte", arguments: refused)
  func refusedDocument(document: String) {
    for size in [1, Int.max] {
      #expect(throws: LocalCopyError.self) {
        try scan(document, .document, pieceSize: size)
      }
    }
  }

  @Test(
    "JSONTestSuite: y_ accepted, n_ refused, i_ without a crash",
    .enabled(
      if: SharedData.exists("json-test-suite"), "\(SharedData.absence("json-test-suite"))"))
  func testSuite() throws {
    let folder = "json-test-suite/test_parsing"
    let names = try SharedData.names(in: folder, suffix: ".json")
    #expect(names.count > 300)
    for name in names {
      let document = try SharedData.bytes("\(folder)/\(name)")
      let outcomes = [1, 3, Int.max].map { size in
        Result { try scan(document, .document, pieceSize: size) }
      }
      for outcome in outcomes {
        switch (name.prefix(2), outcome) {
        case ("y_", .failure(let error)): Issue.record("\(name) refused: \(error)")
        case ("n_", .success): Issue.record("\(name) accepted")
        case (_, .failure(let error)): #expect(error is LocalCopyError)
        default: break
        }
        // If the RFC leaves a choice, the result must not depend on the pieces.
        #expect(outcome.isSuccess == outcomes[0].isSuccess, "\(name)")
      }
    }
  }
}

extension Result {
  var isSuccess: Bool {
    if case .success = self { true } else { false }
  }
}

extension String {
  var trimmingWhitespace: String {
    let characters = unicodeScalars.drop { " \t\r\n".unicodeScalars.contains($0) }
    var view = Substring.UnicodeScalarView(characters)
    while let last = view.last, " \t\r\n".unicodeScalars.contains(last) { view.removeLast() }
    return String(view)
  }
}
