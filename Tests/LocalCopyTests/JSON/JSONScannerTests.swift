import Testing

@testable import LocalCopy

@Suite("The scanner finds elements and refuses invalid JSON")
struct JSONScannerTests {
  static let sizes = [1, 2, 3, 7, 8, 9, 64, Int.max]

  @Test("Elements and siblings arrive in document order, for pieces of any size", arguments: sizes)
  func elementsAndSiblings(size: Int) throws {
    let document = """
      {"type":"FeatureCollection","metadata":{"count":3,"title":"é\\u00e9\\n"},
       "features":[ {"id":"a","n":[1,2,{"x":null}]} , "two",-3.5e+2,[ ],true ],"bbox":[1,2]}
      """
    let events = try scan(document, .elements("features"), pieceSize: size)
    #expect(
      events == [
        ScannedEvent(event: .sibling("type"), text: "\"FeatureCollection\""),
        ScannedEvent(event: .sibling("metadata"), text: #"{"count":3,"title":"é\u00e9\n"}"#),
        ScannedEvent(event: .element(index: 0), text: #"{"id":"a","n":[1,2,{"x":null}]}"#),
        ScannedEvent(event: .element(index: 1), text: "\"two\""),
        ScannedEvent(event: .element(index: 2), text: "-3.5e+2"),
        ScannedEvent(event: .element(index: 3), text: "[ ]"),
        ScannedEvent(event: .element(index: 4), text: "true"),
        ScannedEvent(event: .sibling("bbox"), text: "[1,2]"),
      ])
  }

  @Test("The array may be the root, nested, or inside an array", arguments: sizes)
  func pathsOfElements(size: Int) throws {
    let root = try scan(" [1, {} ] ", .elements(.root), pieceSize: size)
    #expect(root.map(\.text) == ["1", "{}"])
    let nested = try scan(
      #"{"a":{"n":1,"it\u0065ms":[7],"m":2},"b":0}"#, .elements("a.items"), pieceSize: size)
    #expect(
      nested.map(\.event) == [
        .sibling("a.n"), .element(index: 0), .sibling("a.m"), .sibling("b"),
      ])
    let indexed = try scan("[0,[9],2]", .elements([.index(1)]), pieceSize: size)
    #expect(
      indexed.map(\.event) == [.sibling([0]), .element(index: 0), .sibling([2])])
  }

  @Test("A number that ends with the document is an element", arguments: sizes)
  func loneNumber(size: Int) throws {
    #expect(try scan("-12.5e3", .document, pieceSize: size).map(\.text) == ["-12.5e3"])
  }

  @Test("An element over the limit is passed over, and those after it come out", arguments: sizes)
  func oversizedElement(size: Int) throws {
    let long = String(repeating: "x", count: 100)
    let events = try scan(
      #"{"m":"\#(long)","e":[1,{"a":["\#(long)"]},3],"n":4}"#, .elements("e"),
      limits: JSONLimits(maximumElementBytes: 50, maximumSiblingBytes: 60), pieceSize: size)
    #expect(
      events.map(\.event) == [
        .oversizedSibling("m"), .element(index: 0), .oversizedElement(index: 1),
        .element(index: 2), .sibling("n"),
      ])
  }

  @Test("Keys count together with the values that they lead to", arguments: sizes)
  func keysOfSiblings(size: Int) throws {
    let (first, second) = (String(repeating: "a", count: 10), String(repeating: "b", count: 10))
    let document = #"{"\#(first)":1,"\#(second)":2,"e":[1],"c":3,"d":[[],[],[]],"f":4}"#
    let events = try scan(
      document, .elements("e"), limits: JSONLimits(maximumSiblingBytes: 20), pieceSize: size)
    #expect(
      events.map(\.event) == [
        .sibling(JSONPath([.key(first)])), .oversizedSibling(JSONPath([.key(second)])),
        .element(index: 0), .sibling("c"), .oversizedSibling("d"), .sibling("f"),
      ])
  }

  @Test("A key that leads to elements or siblings is not overlong", arguments: [1, 64, Int.max])
  func overlongKeys(size: Int) throws {
    let key = String(repeating: "k", count: 4_096)
    let events = try scan(#"{"\#(key)":1,"e":[{"x\#(key)":2}]}"#, .elements("e"), pieceSize: size)
    #expect(events.count == 2)
    for document in [#"{"x\#(key)":1,"e":[]}"#, #"{"e":[],"\u0078\#(key)":1}"#] {
      let error = try #require(throws: LocalCopyError.self) {
        try scan(document, .elements("e"), pieceSize: size)
      }
      #expect(error.code == .limitExceeded)
    }
  }

  @Test("A syntax error has its place: byte and path", arguments: sizes)
  func syntaxErrorPlace(size: Int) throws {
    let document = #"{"features":[{"a":1},{"p":{"x":[true,nul]}}]}"#
    let error = try #require(throws: LocalCopyError.self) {
      try scan(document, .elements("features"), pieceSize: size)
    }
    #expect(error.code == .malformedDocument)
    #expect(error.path?.description == "$.features[1].p.x[1]")
    #expect(error.byteOffset == 40)
    #expect(error.description.contains("found “]”"))
  }

  @Test("A document that is cut anywhere is refused as truncated")
  func truncation() throws {
    let document = Array(#"{"m":{"a":"\u00e9é"},"e":[{"n":-1.5e3},true]}"#.utf8)
    #expect(try scan(document, .elements("e")).count == 3)
    for length in 0..<document.count {
      let error = try #require(throws: LocalCopyError.self) {
        try scan(Array(document[..<length]), .elements("e"))
      }
      #expect(error.code == .truncated, "cut after \(length) bytes")
      #expect(error.byteOffset == length)
    }
  }

  @Test("Depth is limited")
  func depth() throws {
    let limits = JSONLimits(maximumDepth: 10)
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(try scan(nested(10), .document, limits: limits).count == 1)
    let error = try #require(throws: LocalCopyError.self) {
      try scan(nested(11), .document, limits: limits)
    }
    #expect(error.code == .limitExceeded)
    #expect(error.byteOffset == 10)
  }

  @Test(
    "The array must be there, once, and be an array",
    arguments: [
      (#"{"a":1}"#, "features"), (#"{"features":null}"#, "features"),
      (#"{"features":{}}"#, "features"), (#"{"a":[]}"#, "a.b"), ("{}", ""), ("12", "features"),
      (#"{"features":[],"features":[1]}"#, "features"), (#"{"a":3}"#, "a.b"),
    ])
  func elementsNotFound(document: String, path: String) throws {
    let error = try #require(throws: LocalCopyError.self) {
      try scan(document, .elements(JSONPath(stringLiteral: path)))
    }
    #expect(error.code == .elementsNotFound)
  }

  @Test(
    "Invalid UTF-8 is refused",
    arguments: [
      [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80],
      [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x28],
      [0xFF], [0xC3],
    ] as [[UInt8]])
  func invalidUTF8(bytes: [UInt8]) throws {
    for size in Self.sizes {
      let error = try #require(throws: LocalCopyError.self) {
        try scan([0x5B, 0x22] + bytes + [0x22, 0x5D], .document, pieceSize: size)
      }
      #expect(error.code == .malformedDocument)
    }
  }

  @Test("Every scalar of Unicode passes", arguments: [1, Int.max])
  func allScalars(size: Int) throws {
    var text = "[\""
    for value in stride(from: UInt32(0x20), through: 0x10FFFF, by: size == 1 ? 251 : 1) {
      guard let scalar = Unicode.Scalar(value), scalar != "\"", scalar != "\\" else { continue }
      text.unicodeScalars.append(scalar)
    }
    text += "\"]"
    let limits = JSONLimits(maximumElementBytes: 1 << 23)
    #expect(try scan(text, .document, limits: limits, pieceSize: size).first?.text == text)
  }
}
