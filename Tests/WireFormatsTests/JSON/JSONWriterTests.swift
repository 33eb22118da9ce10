import Foundation
import Testing
import WireFormats

@Suite("JSON writer")
struct JSONWriterTests {
  private func written(
    _ escaping: JSONEscaping = .controls, _ write: (inout JSONWriter) -> Void
  ) -> String {
    var json = JSONWriter(escaping: escaping)
    write(&json)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  @Test(
    "A time beyond those of ECMAScript is the first or the last of them",
    arguments: [
      (0, "0"), (1.0007, "1001"), (8.64e12, "8640000000000000"), (8.7e12, "8640000000000000"),
      (Double.infinity, "8640000000000000"), (-1e300, "-8640000000000000"), (.nan, "0"),
    ])
  func times(seconds: Double, text: String) {
    #expect(written { $0.time(Date(timeIntervalSince1970: seconds)) } == text)
  }

  @Test(
    "Strings are escaped as far as asked",
    arguments: [
      ("", #""""#, #""""#), ("plain", #""plain""#, #""plain""#),
      (#"a"b\c/"#, #""a\"b\\c/""#, #""a\"b\\c/""#),
      ("\n\u{0}\u{1f}", #""\u000a\u0000\u001f""#, #""\u000a\u0000\u001f""#),
      ("\u{7f}\u{9b}", "\"\u{7f}\u{9b}\"", #""\u007f\u009b""#),
      ("\u{a0}é€😀", "\"\u{a0}é€😀\"", "\"\u{a0}é€😀\""),
      ("é\"\u{80}", "\"é\\\"\u{80}\"", #""é\"\u0080""#),
    ])
  func strings(text: String, required: String, controls: String) {
    #expect(written(.required) { $0.string(text) } == required)
    #expect(written(.controls) { $0.string(text) } == controls)
    var bytes: [UInt8] = []
    bytes.appendJSON(text)
    #expect(bytes == Array(required.utf8))
  }

  @Test("Members are separated by commas, and times are whole milliseconds")
  func members() {
    let json = written { json in
      json.raw("{")
      json.member("a")
      json.raw("{")
      json.member("b")
      json.string("{")
      json.member("c")
      json.time(Date(timeIntervalSince1970: -1.2346))
      json.raw("}")
      json.member("d")
      json.time(nil)
      json.raw("}")
    }
    #expect(json == #"{"a":{"b":"{","c":-1235},"d":null}"#)
  }

  @Test("Each scalar reads back, and none of the control characters is left")
  func scalars() throws {
    for value in UInt32(0)..<0x3_000 {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let text = "a\(Character(scalar))b"
      for escaping in [JSONEscaping.required, .controls] {
        let json = written(escaping) { $0.string(text) }
        let decoded = try JSONDecoder().decode([String].self, from: Data("[\(json)]".utf8))
        #expect(decoded.first.map { Array($0.utf8) } == Array(text.utf8))
        guard escaping == .controls else { continue }
        #expect(json.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
      }
    }
  }

  @Test("Decimal numbers have no trailing zeros")
  func decimals() {
    let cases: [(Int?, Int, String)] = [
      (250, 2, "2.5"), (300, 2, "3"), (-5, 2, "-0.05"), (0, 3, "0"), (12, 0, "12"),
      (.min, 0, "\(Int.min)"), (nil, 2, "null"), (-1_000, 3, "-1"), (7, 4, "0.0007"),
    ]
    for (value, places, text) in cases {
      #expect(written { $0.decimal(value, places: places) } == text)
    }
  }

  @Test("Other values")
  func values() {
    #expect(written { $0.number(1.5) } == "1.5")
    #expect(written { $0.number(3) } == "3")
    #expect(written { $0.number(-0.1) } == "-0.1")
    #expect(written { $0.number(.infinity) } == "null")
    #expect(written { $0.number(.nan) } == "null")
    #expect(written { $0.number(nil) } == "null")
    #expect(written { $0.integer(-7) } == "-7")
    #expect(written { $0.integer(nil) } == "null")
    #expect(written { $0.boolean(true) } == "true")
    #expect(written { $0.string(nil) } == "null")
    #expect(written { $0.raw("[1]") } == "[1]")
  }

  @Test("Taking the bytes clears the text")
  func take() {
    var json = JSONWriter()
    json.raw("[]")
    #expect(json.take() == Array("[]".utf8))
    #expect(json.bytes.isEmpty)
  }
}
