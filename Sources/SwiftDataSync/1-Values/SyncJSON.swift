import Foundation

/// Parses JSON (RFC 8259) from external sources: strictly, with a depth limit, and with exact
/// integers.
package struct SyncJSON {
  /// The error of a malformed document, with its position.
  package struct Malformed: Error, Equatable, CustomStringConvertible {
    package let offset: Int
    package let expected: String
    package var description: String { "no JSON at byte \(offset): expected \(expected)" }
  }

  private static let maximumDepth = 64
  let bytes: UnsafeBufferPointer<UInt8>
  var position = 0
  /// The number of members of the last object.
  private var lastCount = 0

  private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// - Throws: ``Malformed``.
  package static func parse(_ document: some Sequence<UInt8>) throws -> SyncValue {
    try parse(document) { try $0.value(depth: 0) }
  }

  /// Parses a document with `read`.
  static func parse<Result>(
    _ document: some Sequence<UInt8>, _ read: (inout SyncJSON) throws -> Result
  ) throws -> Result {
    func parse(_ bytes: UnsafeBufferPointer<UInt8>) throws -> Result {
      var parser = SyncJSON(bytes)
      let value = try read(&parser)
      parser.skipBlanks()
      guard parser.position == bytes.count else { throw parser.malformed("the end") }
      return value
    }
    if let value = try document.withContiguousStorageIfAvailable(parse) { return value }
    return try Array(document).withUnsafeBufferPointer(parse)
  }

  func malformed(_ expected: String) -> Malformed {
    Malformed(offset: position, expected: expected)
  }

  mutating func skipBlanks() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }

  mutating func take(_ byte: UInt8) -> Bool {
    skipBlanks()
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  mutating func value(depth: Int) throws -> SyncValue {
    guard depth < Self.maximumDepth else { throw malformed("at most \(Self.maximumDepth) levels") }
    skipBlanks()
    guard position < bytes.count else { throw malformed("a value") }
    switch bytes[position] {
    case UInt8(ascii: "{"): return .object(try object(depth: depth + 1))
    case UInt8(ascii: "["): return .list(try list(depth: depth + 1))
    case UInt8(ascii: "\""): return .text(try text())
    case UInt8(ascii: "t"): return try word("true", .boolean(true))
    case UInt8(ascii: "f"): return try word("false", .boolean(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return try number()
    }
  }

  private mutating func word(_ word: StaticString, _ value: SyncValue) throws -> SyncValue {
    let count = word.utf8CodeUnitCount
    guard position + count <= bytes.count,
      (0..<count).allSatisfy({ bytes[position + $0] == word.utf8Start[$0] })
    else { throw malformed("\(word)") }
    position += count
    return value
  }

  mutating func object(depth: Int) throws -> [String: SyncValue] {
    position += 1
    if take(UInt8(ascii: "}")) { return [:] }
    var members: [String: SyncValue] = [:]
    // Neighboring objects usually have the same members.
    members.reserveCapacity(max(6, lastCount))
    defer { lastCount = min(members.count, 64) }
    repeat {
      skipBlanks()
      guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
        throw malformed("a member's name")
      }
      let name = try text()
      guard take(UInt8(ascii: ":")) else { throw malformed("a colon") }
      let value = try value(depth: depth)
      guard members.updateValue(value, forKey: name) == nil else {
        throw malformed("each name once")
      }
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "}")) else { throw malformed("the end of the object") }
    return members
  }

  private mutating func list(depth: Int) throws -> [SyncValue] {
    position += 1
    var elements: [SyncValue] = []
    if take(UInt8(ascii: "]")) { return elements }
    repeat { elements.append(try value(depth: depth)) } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "]")) else { throw malformed("the end of the list") }
    return elements
  }
}

// MARK: - Text and numbers

extension SyncJSON {
  mutating func text() throws -> String {
    position += 1
    let start = position
    while position < bytes.count, bytes[position] != UInt8(ascii: "\""),
      bytes[position] != UInt8(ascii: "\\"), bytes[position] >= 0x20
    { position += 1 }
    // Usually nothing is escaped, and the text is used as it is.
    if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
      let plain = UnsafeBufferPointer(rebasing: bytes[start..<position])
      guard let text = String(validating: plain, as: UTF8.self) else { throw malformed("UTF-8") }
      position += 1
      return text
    }
    var collected = Array(bytes[start..<position])
    while position < bytes.count {
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        guard let text = String(validating: collected, as: UTF8.self) else {
          throw malformed("UTF-8")
        }
        return text
      case UInt8(ascii: "\\"): collected.append(contentsOf: try escape().utf8)
      case 0x20...:
        collected.append(byte)
        position += 1
      default: throw malformed("no control character")
      }
    }
    throw malformed("the end of the text")
  }

  private mutating func escape() throws -> String {
    position += 1
    guard position < bytes.count else { throw malformed("an escape") }
    let byte = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
      return String(UnicodeScalar(byte))
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try unicode()
    default: throw malformed("an escape")
    }
  }

  private mutating func unicode() throws -> String {
    var units = [try unit()]
    if UTF16.isLeadSurrogate(units[0]) {
      guard position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
        bytes[position + 1] == UInt8(ascii: "u")
      else { throw malformed("the second half of a pair") }
      position += 2
      units.append(try unit())
    }
    guard let text = String(validating: units, as: UTF16.self) else {
      throw malformed("a character")
    }
    return text
  }

  private mutating func unit() throws -> UInt16 {
    guard position + 4 <= bytes.count else { throw malformed("four hexadecimal digits") }
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = Character(UnicodeScalar(bytes[position])).hexDigitValue else {
        throw malformed("four hexadecimal digits")
      }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }

  private mutating func digits() throws {
    let start = position
    while position < bytes.count, (0x30...0x39).contains(bytes[position]) { position += 1 }
    guard position > start else { throw malformed("a digit") }
  }

  /// Returns the integer from a position to the current one; nil when it is too large.
  private func integer(_ start: Int) -> Int64? {
    var (value, isNegative): (Int64, Bool) = (0, false)
    for byte in bytes[start..<position] {
      if byte == UInt8(ascii: "-") {
        isNegative = true
        continue
      }
      // Accumulates negatively, because there is one more negative number.
      let (tenfold, first) = value.multipliedReportingOverflow(by: 10)
      let (next, second) = tenfold.subtractingReportingOverflow(Int64(byte & 15))
      if first || second { return nil }
      value = next
    }
    if isNegative { return value }
    return value == .min ? nil : -value
  }

  private mutating func number() throws -> SyncValue {
    let start = position
    var isInteger = true
    if bytes[position] == UInt8(ascii: "-") { position += 1 }
    let first = position
    try digits()
    guard position == first + 1 || bytes[first] != UInt8(ascii: "0") else {
      throw malformed("no leading zero")
    }
    if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
      isInteger = false
      position += 1
      try digits()
    }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      isInteger = false
      position += 1
      if position < bytes.count, [0x2B, 0x2D].contains(bytes[position]) { position += 1 }
      try digits()
    }
    if isInteger, let integer = integer(start) { return .integer(integer) }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    guard let real = Double(text), real.isFinite else { throw malformed("a smaller number") }
    return .real(real)
  }
}
