/// Reads requested values: strings, numbers, and values that are left to the general decoder.
extension _FeedReader {
  // MARK: Strings

  /// Reads a string.
  mutating func string() throws(_FeedMismatch) -> String {
    try take(UInt8(ascii: "\""))
    let start = cursor
    let form = try skipString()
    let text = UnsafeBufferPointer(start: start, count: cursor - 1 - start)
    switch form {
    case .plain: return String(decoding: text, as: UTF8.self)
    case .escaped: return JSONText.lossyString(text, .escaped)
    case .loneSurrogate: throw _FeedMismatch()
    }
  }

  // MARK: Numbers

  /// Skips a number (RFC 8259 section 6).
  /// - Returns: whether it has neither a fraction nor an exponent.
  mutating func skipNumber() throws(_FeedMismatch) -> Bool {
    var isInteger = true
    if try byte() == UInt8(ascii: "-") { cursor += 1 }
    if try byte() == UInt8(ascii: "0") { cursor += 1 } else { try skipDigits() }
    if cursor < end, cursor.pointee == UInt8(ascii: ".") {
      isInteger = false
      cursor += 1
      try skipDigits()
    }
    if cursor < end, cursor.pointee | 0x20 == UInt8(ascii: "e") {
      isInteger = false
      cursor += 1
      let sign = try byte()
      if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { cursor += 1 }
      try skipDigits()
    }
    return isInteger
  }

  /// Skips at least one digit.
  @inline(__always)
  private mutating func skipDigits() throws(_FeedMismatch) {
    let start = cursor
    while cursor < end, cursor.pointee &- UInt8(ascii: "0") < 10 { cursor += 1 }
    guard cursor > start else { throw _FeedMismatch() }
  }

  /// Appends digits to a mantissa; too many digits overflow it.
  @inline(__always)
  private mutating func takeDigits(_ mantissa: inout UInt64) throws(_FeedMismatch) {
    let start = cursor
    while cursor < end {
      let digit = cursor.pointee &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      mantissa = mantissa &* 10 &+ UInt64(digit)
      cursor += 1
    }
    guard cursor > start else { throw _FeedMismatch() }
  }

  /// Reads a number as the nearest double.
  mutating func double() throws(_FeedMismatch) -> Double {
    let start = cursor
    var mantissa: UInt64 = 0
    let isNegative = try byte() == UInt8(ascii: "-")
    if isNegative { cursor += 1 }
    let digits = cursor
    if try byte() == UInt8(ascii: "0") { cursor += 1 } else { try takeDigits(&mantissa) }
    var count = cursor - digits
    var fraction = 0
    if cursor < end, cursor.pointee == UInt8(ascii: ".") {
      cursor += 1
      let point = cursor
      try takeDigits(&mantissa)
      fraction = cursor - point
      count += fraction
    }
    let hasExponent = cursor < end && cursor.pointee | 0x20 == UInt8(ascii: "e")
    // Clinger's fast path: both operands are exact, so one rounding gives the nearest double.
    if !hasExponent, count <= 19, mantissa <= 1 << 53, fraction <= 22 {
      let magnitude = Double(mantissa)
      let value = fraction == 0 ? magnitude : magnitude / JSONNumber.powersOfTen[fraction]
      return isNegative ? -value : value
    }
    if !hasExponent, count <= 19, fraction <= 22,
      let value = JSONNumber.quotient(mantissa, fraction)
    {
      return isNegative ? -value : value
    }
    cursor = start
    _ = try skipNumber()
    let text = UnsafeBufferPointer(start: start, count: cursor - start)
    guard let value = JSONNumber.double(text) else { throw _FeedMismatch() }
    return value
  }

  /// Reads a number as the nearest float.
  mutating func float() throws(_FeedMismatch) -> Float {
    let start = cursor
    _ = try skipNumber()
    let text = UnsafeBufferPointer(start: start, count: cursor - start)
    guard let value = JSONNumber.float(text) else { throw _FeedMismatch() }
    return value
  }

  /// Reads a whole number that fits in the type.
  @inline(__always)
  mutating func integer<T: FixedWidthInteger>() throws(_FeedMismatch) -> T {
    let start = cursor
    let isInteger = try skipNumber()
    let text = UnsafeBufferPointer(start: start, count: cursor - start)
    guard let value: T = JSONNumber.integer(text, isInteger ? .integer : []) else {
      throw _FeedMismatch()
    }
    return value
  }

  /// Reads a Boolean.
  mutating func bool() throws(_FeedMismatch) -> Bool {
    if try byte() == UInt8(ascii: "t") {
      try take(literal: "true")
      return true
    }
    try take(literal: "false")
    return false
  }

  // MARK: General decoder

  /// Reads a value of any type through its `init(from:)`.
  mutating func general<T: Decodable>(_ type: T.Type) throws(_FeedMismatch) -> T {
    let start = cursor
    let scalar = try takeScalar()
    if scalar == nil { try skipValue() }
    let text = UnsafeBufferPointer(start: start, count: cursor - start)
    do {
      guard let scalar else { return try decoder.decode(type, validated: text) }
      tape.removeAll()
      // The text of a string lies between its quotation marks.
      let inset = scalar.kind == .string ? 1 : 0
      tape.append(
        scalar.kind, offset: inset, end: text.count - inset, marks: scalar.marks)
      return try decoder.decode(type, from: text, tape)
    } catch {
      throw _FeedMismatch()
    }
  }

  /// Skips a value that isn't an array or an object.
  /// - Returns: the contents of its only entry on a tape; nil for an array or an object, which
  ///   isn't skipped.
  private mutating func takeScalar() throws(_FeedMismatch) -> (
    kind: JSONTape.Kind, marks: JSONTape.Marks
  )? {
    switch try byte() {
    case UInt8(ascii: "{"), UInt8(ascii: "["): return nil
    case UInt8(ascii: "\""):
      cursor += 1
      switch try skipString() {
      case .plain: return (.string, [])
      case .escaped: return (.string, .escaped)
      case .loneSurrogate: return (.string, [.escaped, .loneSurrogate])
      }
    case UInt8(ascii: "n"):
      try take(literal: "null")
      return (.null, [])
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return (try bool() ? .true : .false, [])
    default: return (.number, try skipNumber() ? .integer : [])
    }
  }
}
