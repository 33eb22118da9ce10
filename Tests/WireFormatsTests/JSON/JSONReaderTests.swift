import Foundation
import Testing
import WireFormats

@Suite("JSON reader")
struct JSONReaderTests {
  private static let accepted = [
    "[]", "{}", " \t\r\n[ ]\n", "0", "-0", "[-0.0]", "1e0", "1E+10", "1e-10", "[123.456e78]",
    "true", "false", "null", "\"\"", #""\"\\\/\b\f\n\r\t\u0000\uFFFF""#, #"{"a":1,"a":2}"#,
    #"{"":0}"#, #"["\ud83d\ude00"]"#, "[[],[[]],{}]", #"[1,2 , 3]"#, #"{"a" : [ {} ] }"#,
    "[1e9999]", #"["\ud800"]"#, "\"\u{7f}\"", "[\"\u{2028}\"]", "[\"é€😀, longer than a word\"]",
  ]
  private static let refused = [
    "", " ", "[", "]", "{", "}", "[1,]", "[,1]", "[1 2]", "{,}", #"{"a"}"#, #"{"a":}"#,
    #"{"a":1,}"#, #"{"a" 1}"#, "{a:1}", "{'a':1}", "[01]", "[-]", "[+1]", "[1.]", "[.5]",
    "[1e]", "[1e+]", "[0x1]", "[1.e1]", "[--1]", "[-01]", "[NaN]", "[Infinity]", "[tru]",
    "[True]", "truefalse", "[nulll]", #"["\x"]"#, #"["\u12"]"#, #"["\u123g"]"#, "[\"\n\"]",
    "[\"\u{1f}\"]", "[\"a]", "[1]]", "[1}", "{\"a\":1]", "[] []", "[1]x", "// a\n[]", "[/**/]",
    "\u{FEFF}[]", "[\u{a0}]", "[\u{0c}]", "\0", "[\0]", "1 2", "'a'", "\"a\" \"b\"", "[1],",
    "1.2.3", "-", "1e1e1", "[\"\\", "{\"a\":\"b\"", "*",
  ]

  private func skip(_ bytes: [UInt8], maximumDepth: Int = 64) throws {
    try JSONReader.read(bytes, maximumDepth: maximumDepth) { try $0.skipValue() }
  }

  @Test("Valid documents are accepted", arguments: accepted)
  func acceptedDocument(document: String) throws {
    try skip(Array(document.utf8))
    // The same in memory that isn't contiguous.
    try JSONReader.read(document.utf8.lazy.map { $0 }) { try $0.skipValue() }
  }

  @Test("Invalid documents are refused", arguments: refused)
  func refusedDocument(document: String) {
    #expect(throws: JSONError.self) { try skip(Array(document.utf8)) }
  }

  @Test("Every part of a document but the whole is refused")
  func truncated() throws {
    let document = Array(#"{"a":[1.5e-3,{"b\u00e9":"x😀","c":[true,false,null]}],"":"\\"}"#.utf8)
    try skip(document)
    for count in 0..<document.count {
      #expect(throws: JSONError.self) { try skip(Array(document.prefix(count))) }
    }
  }

  @Test(
    "Bytes that aren't UTF-8 are refused at their place",
    arguments: [
      [0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82], [0xFF],
    ] as [[UInt8]])
  func utf8(bytes: [UInt8]) {
    let error = #expect(throws: JSONError.self) {
      try skip(Array("[\"long enough \"".utf8.dropLast()) + bytes + Array("\"]".utf8))
    }
    #expect(error?.offset == 14)
    #expect(error?.reason == .utf8)
  }

  @Test("Values of all kinds are read")
  func values() throws {
    let document = Data(
      #"""
       {"text":"a\u00e9\n😀\ud83d\ude00","list":[1,-2.5,9223372036854775808],
      "yes":true, "no":null,"skipped":[{}]}
      """#.utf8)
    var names: [String] = []
    var numbers: [JSONReader.Number] = []
    try JSONReader.read(document) { reader in
      #expect(try reader.kind() == .object)
      try reader.object { reader, name in
        names.append(name)
        switch name {
        case "text": #expect(try reader.string() == "aé\n😀😀")
        case "list":
          #expect(try reader.kind() == .array)
          try reader.array { reader in numbers.append(try reader.number()) }
        case "yes":
          let isNull = try reader.null()
          #expect(!isNull)
          #expect(try reader.boolean())
        case "no": #expect(try reader.null())
        default: try reader.skipValue()
        }
      }
    }
    #expect(names == ["text", "list", "yes", "no", "skipped"])
    #expect(numbers == [.integer(1), .real(-2.5), .real(9_223_372_036_854_775_808)])
  }

  @Test("Values of other kinds are refused, with their place and what was expected")
  func otherKinds() {
    func refusal(_ text: String, _ read: (inout JSONReader) throws -> Void) -> String? {
      let error = #expect(throws: JSONError.self) {
        try JSONReader.read(Array(text.utf8), read)
      }
      return error?.description
    }
    #expect(refusal(" 1") { _ = try $0.string() } == "no JSON at byte 1: expected a text")
    #expect(refusal("\"1\"") { _ = try $0.number() } == "no JSON at byte 0: expected a digit")
    #expect(refusal("nul") { _ = try $0.null() } == "no JSON at byte 0: expected null")
    #expect(refusal("[]") { try $0.object { _, _ in } } == "no JSON at byte 0: expected an object")
    #expect(refusal("{}") { try $0.array { _ in } } == "no JSON at byte 0: expected a list")
    #expect(
      refusal("1e999") { _ = try $0.number() } == "no JSON at byte 5: expected a smaller number")
    #expect(refusal("1") { _ in } == "no JSON at byte 0: expected the end")
    #expect(
      refusal(#""\ud800""#) { _ = try $0.string() }
        == "no JSON at byte 7: expected the second half of a pair")
  }

  @Test("The depth is limited, for values that are read and for values that are skipped")
  func depth() throws {
    func nested(_ count: Int) -> [UInt8] {
      Array((String(repeating: "[", count: count) + String(repeating: "]", count: count)).utf8)
    }
    try skip(nested(64))
    try skip(nested(3), maximumDepth: 3)
    for (count, limit) in [(65, 64), (4, 3), (100, 1_000)] {
      let error = #expect(throws: JSONError.self) {
        try skip(nested(count), maximumDepth: limit)
      }
      #expect(error?.reason == .depth)
      #expect(error?.offset == min(limit, 64))
    }
    #expect(throws: JSONError.self) {
      try JSONReader.read(Array("[[1]]".utf8), maximumDepth: 1) { reader in
        try reader.array { reader in try reader.array { reader in try reader.skipValue() } }
      }
    }
  }

  @Test("Integers keep all their digits")
  func integers() throws {
    for number in [Int64.min, .min + 1, -10, 0, 3, 12_345_678_901, .max] {
      let read = try JSONReader.read(Array("\(number)".utf8)) { try $0.number() }
      #expect(read == .integer(number))
    }
  }
}
