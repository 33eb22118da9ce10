import Foundation
import Testing

@testable import LocalCopy

/// Decodes with our decoder and with Foundation's.
private func both<T: Decodable>(
  _ type: T.Type, _ document: String, _ configure: (JSONDecoder) -> Void = { _ in },
  _ options: JSONDecodingOptions = JSONDecodingOptions()
) -> (ours: Result<T, any Error>, foundation: Result<T, any Error>) {
  let foundation = JSONDecoder()
  configure(foundation)
  let limits = JSONLimits(maximumElementBytes: 1 << 26)
  return (
    Result {
      try JSONElementDecoder(options).decode(
        type, document: Array(document.utf8), limits: limits)
    },
    Result { try foundation.decode(type, from: Data(document.utf8)) }
  )
}

/// Expects the same value, or an error from both.
private func expectSame<T: Decodable & Equatable>(
  _ type: T.Type, _ document: String, sourceLocation: SourceLocation = #_sourceLocation
) {
  switch both(type, document) {
  case (.success(let ours), .success(let foundation)):
    #expect(ours == foundation, "\(document)", sourceLocation: sourceLocation)
  case (.failure, .failure): break
  case (let ours, let foundation):
    Issue.record(
      "\(document) as \(type): ours \(ours), Foundation \(foundation)",
      sourceLocation: sourceLocation)
  }
}

/// Any JSON value, decoded by trying several types.
indirect enum AnyValue: Decodable, Equatable {
  case null
  case bool(Bool)
  case integer(Int)
  case double(Double)
  case string(String)
  case array([AnyValue])
  case object([String: AnyValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try Self.attempt({ try container.decode(Bool.self) }) {
      self = .bool(value)
    } else if let value = try Self.attempt({ try container.decode(Int.self) }) {
      self = .integer(value)
    } else if let value = try Self.attempt({ try container.decode(Double.self) }) {
      self = .double(value)
    } else if let value = try Self.attempt({ try container.decode(String.self) }) {
      self = .string(value)
    } else if let value = try Self.attempt({ try container.decode([AnyValue].self) }) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: AnyValue].self))
    }
  }

  private static func attempt<T>(_ body: () throws -> T) throws -> T? {
    // Any error: JSONDecoder throws a private one for a number that does not fit.
    do { return try body() } catch { return nil }
  }
}

@Suite("The decoder gives the results of JSONDecoder")
struct DecoderParityTests {
  @Test(
    "Numbers at the edges of the types",
    arguments: [
      "0", "-0", "1", "-1", "127", "128", "-128", "-129", "255", "256", "32767", "65536",
      "2147483648", "-2147483649", "4294967295", "9223372036854775807", "9223372036854775808",
      "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
      "18446744073709551616", "1.0", "1e2", "120e-1", "1.5", "-0.0", "9007199254740993.0",
      "1e18", "1e19", "1e400", "-1e400", "0e999", "0.1", "1e23", "8.41e21",
      "9007199254740993", "1.7976931348623157e308", "1.7976931348623159e308",
      "123456789012345678901234567890", "0.000001", "3.4028235e38", "3.5e38", "16777217",
      "7.2057594037927933e16", "2.2250738585072014e-308", "1000000000000000000e-18",
      "0.30000000000000004", "179769313486231570000e289",
    ])
  func numbers(text: String) {
    let document = "[\(text)]"
    expectSame([Int].self, document)
    expectSame([Int8].self, document)
    expectSame([Int16].self, document)
    expectSame([Int32].self, document)
    expectSame([Int64].self, document)
    expectSame([UInt].self, document)
    expectSame([UInt8].self, document)
    expectSame([UInt16].self, document)
    expectSame([UInt32].self, document)
    expectSame([UInt64].self, document)
    expectSame([Double].self, document)
    expectSame([[Double]].self, "[\(document)]")
    expectSame([Float].self, document)
    expectSame([Decimal].self, document)
    expectSame([Bool].self, document)
    expectSame([String].self, document)
  }

  @Test("A number that is not whole is refused as an integer, where JSONDecoder rounds it")
  func noRoundingToIntegers() throws {
    for number in ["1e-400", "884154648929874.47660e1"] {
      let results = both([Int].self, "[\(number)]")
      #expect(results.foundation.isSuccess)
      #expect(!results.ours.isSuccess)
    }
    #expect(!both([Double].self, "[1e-400]").ours.isSuccess)
  }

  @Test("Random doubles and decimals", arguments: [UInt64(1), 2, 3])
  func randomNumbers(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let numbers = (0..<2000).map { index -> String in
      if index.isMultiple(of: 2) {
        let value = Double(bitPattern: random.next())
        return value.isFinite && !value.isSubnormal ? "\(value)" : "0"
      }
      let digits = Int.random(in: 1...25, using: &random)
      let integer = (0..<digits).map { _ in "\(Int.random(in: 1...9, using: &random))" }.joined()
      return "\(integer).\(random.next() % 100_000)e\(Int.random(in: -300...260, using: &random))"
    }
    expectSame([Double].self, "[\(numbers.joined(separator: ","))]")
    for number in numbers.prefix(500) {
      expectSame([Float].self, "[\(number)]")
    }
  }

  @Test("Random documents", arguments: 0..<TestEnvironment.rounds(40))
  func randomDocuments(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<25 {
      expectSame(AnyValue.self, RandomJSON.value(depth: 5, using: &random))
    }
  }

  @Test(
    "Strings, nulls, keys and wrong types",
    arguments: [
      #"{"a":"x"}"#, #"{"a":null}"#, "{}", "[]", "null", #"{"a":1,"a":2}"#, #"{"\u0061":5}"#,
      #"{"a":{"a":{"a":3}}}"#, #"["\ud83d\ude00\u00e9\/\n"]"#, #"["\ud800"]"#, #"{"\ud800":1}"#,
      #"["x\ud800\u0041"]"#, #"[null,1,"a",true]"#, #"{"1":2,"-3":4}"#, #"{"a":[1,[2]]}"#,
      #"["QUJD","","A","QQ=="]"#, #"["http://example.org/é","a b",""]"#, "\"x\"", "3",
    ])
  func mixedDocuments(document: String) {
    expectSame([String: Int].self, document)
    expectSame([String: Int?].self, document)
    expectSame([Int: Int].self, document)
    expectSame([String].self, document)
    expectSame([String?].self, document)
    expectSame([Int].self, document)
    expectSame(AnyValue.self, document)
    expectSame([Data].self, document)
    expectSame([URL].self, document)
    expectSame(Recursive.self, document)
    expectSame(String.self, document)
    expectSame(Int?.self, document)
    expectSame([Bool].self, document)
  }

  @Test("Keys are compared byte by byte, in small objects and in large ones", arguments: [1, 60])
  func keyBytes(count: Int) throws {
    let others = (0..<count).map { "\"k\($0)\":0" }.joined(separator: ",")
    let document = "{\(others),\"e\u{301}\":1,\"t\":\"\",\"i\":0}"
    struct Accent: Decodable {
      var é: Int?
    }
    #expect(try JSONElementDecoder().decode(Accent.self, document: Array(document.utf8)).é == nil)
    try expectSameImport(of: Everything.self, Array("[\(document)]".utf8))
  }

  @Test("Errors carry the coding path of JSONDecoder")
  func errorPaths() throws {
    let documents = [
      #"{"a":{"a":"x"}}"#, #"{"list":[{},{"a":true}]}"#, #"{"list":[null]}"#,
      #"{"need":{}}"#, #"{"need":{"b":null}}"#, #"{"list":{}}"#, #"{"need":{"b":"1"}}"#,
    ]
    for document in documents {
      let results = both(Recursive.self, document)
      let ours = try #require(results.ours.error as? DecodingError)
      let foundation = try #require(results.foundation.error as? DecodingError)
      #expect(ours.place == foundation.place, "\(document)")
      #expect(ours.kind == foundation.kind, "\(document)")
    }
  }

  @Test(
    "Finding out types by trying costs time proportional to the document",
    .timeLimit(.minutes(20)))
  func tryingTypes() throws {
    // With quadratic complexity, this would not end within the limit.
    let strings = [String](repeating: "\"\"", count: 20_000).joined(separator: ",")
    let value = try JSONElementDecoder().decode(
      AnyValue.self, document: Array("[0,{\"a\":[\(strings)]}]".utf8))
    guard case .array(let elements) = value, case .object(let members)? = elements.last,
      case .array(let found)? = members["a"]
    else {
      Issue.record("\(value)")
      return
    }
    #expect(found.count == 20_000)
  }

  @Test("Dates by each strategy")
  func dates() throws {
    let cases: [(JSONDateStrategy, JSONDecoder.DateDecodingStrategy, String)] = [
      (.deferredToDate, .deferredToDate, "[0,1.5,-7]"),
      (.secondsSince1970, .secondsSince1970, "[0,1.5,-7]"),
      (.millisecondsSince1970, .millisecondsSince1970, "[1746366775123,-1,0.5]"),
      (.iso8601, .iso8601, #"["2025-05-04T13:52:55Z","1969-12-31T23:59:59+01:00"]"#),
      (.iso8601, .iso8601, #"["yesterday"]"#), (.iso8601, .iso8601, "[5]"),
    ]
    for (ours, foundation, document) in cases {
      let results = both(
        [Date].self, document, { $0.dateDecodingStrategy = foundation },
        JSONDecodingOptions(dates: ours))
      switch results {
      case (.success(let left), .success(let right)): #expect(left == right)
      case (.failure, .failure): break
      default: Issue.record("\(document): \(results)")
      }
    }
    let custom = JSONDecodingOptions(
      dates: .custom { Date(timeIntervalSince1970: try Double(from: $0) * 60) })
    let decoded = try JSONElementDecoder(custom).decode([Date].self, document: Array("[2]".utf8))
    #expect(decoded == [Date(timeIntervalSince1970: 120)])
  }

  @Test(
    "Every real capture decodes to the same values",
    .enabled(if: SharedData.exists("usgs/feeds"), "\(SharedData.absence("usgs/feeds"))"))
  func captures() throws {
    for name in try SharedData.names(in: "usgs/feeds", suffix: ".geojson") {
      let document = try SharedData.bytes("usgs/feeds/\(name)")
      guard document.count < 150_000 else { continue }
      expectSame(AnyValue.self, String(decoding: document, as: UTF8.self))
    }
  }
}

/// A type that uses all features of synthesized decoding.
struct Recursive: Decodable, Equatable {
  struct Need: Decodable, Equatable { var b: Int }
  indirect enum Box: Decodable, Equatable {
    case value(Recursive)
    init(from decoder: any Decoder) throws { self = .value(try Recursive(from: decoder)) }
  }
  var a: Box?
  var list: [Recursive]?
  var need: Need?
}

extension Result {
  var error: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}

extension DecodingError {
  var kind: String {
    switch self {
    case .typeMismatch: "mismatch"
    case .valueNotFound: "no value"
    case .keyNotFound: "no key"
    case .dataCorrupted: "corrupted"
    @unknown default: "other"
    }
  }

  var place: String {
    let context: Context? =
      switch self {
      case .typeMismatch(_, let context), .valueNotFound(_, let context): context
      case .keyNotFound(_, let context), .dataCorrupted(let context): context
      @unknown default: nil
      }
    return (context?.codingPath ?? []).map { $0.intValue.map(String.init) ?? $0.stringValue }
      .joined(separator: "/")
  }
}
