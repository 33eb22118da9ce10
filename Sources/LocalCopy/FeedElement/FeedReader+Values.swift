import WireFormats

/// Reads requested numbers, and values that are left to the general decoder.
extension _FeedReader {
  // MARK: Numbers

  /// Appends digits to a mantissa; too many digits overflow it.
  @inline(__always)
  private mutating func takeDigits(_ mantissa: inout UInt64) throws(_FeedMismatch) {
    let start = json.position
    while json.position < json.end {
      let digit = json.position.pointee &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      mantissa = mantissa &* 10 &+ UInt64(digit)
      json.position += 1
    }
    guard json.position > start else { throw .digit }
  }

  /// Reads a number as the nearest double.
  mutating func double() throws(_FeedMismatch) -> Double {
    let start = json.position
    var mantissa: UInt64 = 0
    let isNegative = try json.byte() == UInt8(ascii: "-")
    if isNegative { json.position += 1 }
    let digits = json.position
    if try json.byte() == UInt8(ascii: "0") {
      json.position += 1
    } else {
      try takeDigits(&mantissa)
    }
    var count = json.position - digits
    var fraction = 0
    if json.position < json.end, json.position.pointee == UInt8(ascii: ".") {
      json.position += 1
      let point = json.position
      try takeDigits(&mantissa)
      fraction = json.position - point
      count += fraction
    }
    let hasExponent = json.position < json.end && json.position.pointee | 0x20 == UInt8(ascii: "e")
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
    json.position = start
    _ = try json.skipNumber()
    let text = UnsafeBufferPointer(start: start, count: json.position - start)
    guard let value = JSONNumber.double(text) else { throw .value }
    return value
  }

  /// Reads a number as the nearest float.
  mutating func float() throws(_FeedMismatch) -> Float {
    let start = json.position
    _ = try json.skipNumber()
    let text = UnsafeBufferPointer(start: start, count: json.position - start)
    guard let value = JSONNumber.float(text) else { throw .value }
    return value
  }

  /// Reads a whole number that fits in the type.
  @inline(__always)
  mutating func integer<T: FixedWidthInteger>() throws(_FeedMismatch) -> T {
    let start = json.position
    let isInteger = try json.skipNumber()
    let text = UnsafeBufferPointer(start: start, count: json.position - start)
    guard let value: T = JSONNumber.integer(text, isInteger ? .integer : []) else {
      throw .value
    }
    return value
  }

  // MARK: General decoder

  /// Reads a value of any type through its `init(from:)`.
  mutating func general<T: Decodable>(_ type: T.Type) throws(_FeedMismatch) -> T {
    let start = json.position
    let scalar = try takeScalar()
    if scalar == nil { try json.skipValue() }
    let text = UnsafeBufferPointer(start: start, count: json.position - start)
    do {
      guard let scalar else { return try decoder.decode(type, validated: text) }
      tape.removeAll()
      // The text of a string lies between its quotation marks.
      let inset = scalar.kind == .string ? 1 : 0
      tape.append(
        scalar.kind, offset: inset, end: text.count - inset, marks: scalar.marks)
      return try decoder.decode(type, from: text, tape)
    } catch {
      throw .value
    }
  }

  /// Skips a value that isn't an array or an object.
  /// - Returns: the contents of its only entry on a tape; nil for an array or an object, which
  ///   isn't skipped.
  private mutating func takeScalar() throws(_FeedMismatch) -> (
    kind: JSONTape.Kind, marks: JSONTape.Marks
  )? {
    switch try json.byte() {
    case UInt8(ascii: "{"), UInt8(ascii: "["): return nil
    case UInt8(ascii: "\""):
      json.position += 1
      switch try json.skipString() {
      case .plain: return (.string, [])
      case .escaped: return (.string, .escaped)
      case .loneSurrogate: return (.string, [.escaped, .loneSurrogate])
      }
    case UInt8(ascii: "n"):
      try json.take(literal: "null", else: .null)
      return (.null, [])
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return (try json.bool() ? .true : .false, [])
    default: return (.number, try json.skipNumber() ? .integer : [])
    }
  }
}
