import SwiftDataSync
import Testing
import WireFormats

@Suite struct SyncJSONTests {
  @Test(arguments: [
    "null", "true", "-0", "9223372036854775807", "1.5e-7", "\"\\u0001 \\\"\\\\ é \u{1F30D}\"",
    "[[],{}]", "{\"a\":[1,2.5,null],\"b\":{\"c\":false}}",
  ])
  func whatIsReadIsWrittenAlike(_ text: String) throws {
    let value = try SyncJSON.parse(Array(text.utf8))
    #expect(try SyncJSON.parse(value.json) == value)
  }

  @Test func numbersKeepTheirKindAndTheirBits() throws {
    for number in [0.1, 1e300, 712_345_678.123_456_7, 3.0, -0.0, .leastNonzeroMagnitude] {
      #expect(try SyncJSON.parse(SyncValue.real(number).json) == .real(number))
    }
    for number in [Int64.min, .min + 1, -10, 0, 3, 12_345_678_901, .max] {
      #expect(try SyncJSON.parse(Array("\(number)".utf8)) == .integer(number))
    }
    for text in ["9223372036854775808", "-9223372036854775809", "92233720368547758070"] {
      #expect(try SyncJSON.parse(Array(text.utf8)) == .real(try #require(Double(text))))
    }
    #expect(try SyncJSON.parse(Array("\"\\ud83c\\udf0d\"".utf8)) == .text("\u{1F30D}"))
  }

  @Test(arguments: [
    "", "nul", "01", "1.", ".5", "+1", "1e", "1e999", "\"", "\"\u{0}\"", "\"\\x\"", "\"\\ud83c\"",
    "[1,]", "[1 2]", "{\"a\"}", "{\"a\":1,}", "{\"a\":1,\"a\":2}", "{a:1}", "1 2", "[", "NaN",
    String(repeating: "[", count: 65) + String(repeating: "]", count: 65),
  ])
  func whatIsNotJSONIsRefused(_ text: String) {
    #expect(throws: JSONError.self) { try SyncJSON.parse(Array(text.utf8)) }
  }

  @Test(arguments: [
    ("", 0, "a value"), ("[", 1, "a value"), ("nul", 0, "null"), ("[tru]", 1, "true"),
    ("01", 2, "no leading zero"), ("1.", 2, "a digit"), ("1e", 2, "a digit"),
    ("-", 1, "a digit"), ("[1,]", 3, "a digit"), ("1e999", 5, "a smaller number"),
    ("[1 2]", 3, "the end of the list"), ("{\"a\"}", 4, "a colon"), ("1 2", 2, "the end"),
    ("{\"a\":1,}", 7, "a member's name"), ("{\"a\":1 2}", 7, "the end of the object"),
    ("{\"a\":1,\"a\":2}", 12, "each name once"), ("\"", 1, "the end of the text"),
    ("\"\u{0}\"", 1, "no control character"), ("\"\\x\"", 3, "an escape"),
    ("\"\\u12\"", 3, "four hexadecimal digits"), ("\"\\u12x4\"", 5, "four hexadecimal digits"),
    ("\"\\ud83c\"", 7, "the second half of a pair"), ("\"\\udc00\"", 7, "a character"),
    ("\"\\ud800\\ud800\"", 13, "a character"),
    (String(repeating: "[", count: 65), 64, "at most 64 levels"),
  ])
  func errorsNameThePlaceAndWhatIsExpected(_ text: String, _ offset: Int, _ expected: String) {
    let error = #expect(throws: JSONError.self) { try SyncJSON.parse(Array(text.utf8)) }
    #expect(error?.description == "no JSON at byte \(offset): expected \(expected)")
  }

  @Test func documentsOfTheContractComeBackEqual() throws {
    let object = SyncObjectID("Park", "1")
    let remote = SyncRemote(object: object, version: 3, values: ["name": .text("a")])
    let gone = SyncRemote(object: object, version: 4, values: nil)
    for coverage in [
      SyncPage.Coverage.delta, .full(), .full(entities: []), .full(entities: ["Park"]),
    ] {
      let page = SyncPage(changes: [remote, gone], cursor: "c", hasMore: true, coverage: coverage)
      #expect(try SyncContract.parsePage(SyncContract.page(page)) == page)
    }
    let changes = [
      SyncChange(id: "1", object: object, content: .put(["name": .null]), baseVersion: nil),
      SyncChange(id: "2", object: object, content: .delete, baseVersion: 7),
    ]
    let request = try SyncContract.parsePushRequest(
      SyncContract.pushRequest(changes, client: "me"))
    #expect(request.changes == changes)
    #expect(request.client == "me")
    var detailed = SyncRejection(code: "full", message: "no place")
    detailed.details = .object(["choices": .list([.text("b"), .integer(7)])])
    let outcomes: [String: SyncOutcome] = [
      "1": .accepted(version: 1, key: "k", values: ["name": .text("b")]),
      "2": .conflict(gone), "3": .rejected(SyncRejection(code: "invalid", message: "no")),
      "4": .rejected(detailed),
    ]
    #expect(try SyncContract.parsePushAnswer(SyncContract.pushAnswer(outcomes)) == outcomes)
  }
}
