/// Numbers (RFC 8259 section 6).
extension JSONCursor {
  /// Moves past a number.
  /// - Returns: whether it has neither a fraction nor an exponent.
  @inlinable
  package mutating func skipNumber() throws(JSONError.Reason) -> Bool {
    var isInteger = true
    if position < end, position.pointee == UInt8(ascii: "-") { position += 1 }
    if position < end, position.pointee == UInt8(ascii: "0") {
      position += 1
      if position < end, position.pointee &- UInt8(ascii: "0") < 10 {
        try skipDigits()
        throw .noLeadingZero
      }
    } else {
      try skipDigits()
    }
    if position < end, position.pointee == UInt8(ascii: ".") {
      isInteger = false
      position += 1
      try skipDigits()
    }
    if position < end, position.pointee | 0x20 == UInt8(ascii: "e") {
      isInteger = false
      position += 1
      if position < end,
        position.pointee == UInt8(ascii: "+") || position.pointee == UInt8(ascii: "-")
      {
        position += 1
      }
      try skipDigits()
    }
    return isInteger
  }

  /// Moves past at least one digit.
  @inlinable @inline(__always)
  mutating func skipDigits() throws(JSONError.Reason) {
    let start = position
    while position < end, position.pointee &- UInt8(ascii: "0") < 10 { position += 1 }
    guard position > start else { throw .digit }
  }

  /// Reads a number: as an integer if it has neither a fraction nor an exponent and fits, else as the nearest double.
  package mutating func number() throws(JSONError.Reason) -> JSONReader.Number {
    let start = position
    let isInteger = try skipNumber()
    let text = UnsafeBufferPointer(start: start, count: position - start)
    if isInteger, let integer = Self.integer(text) { return .integer(integer) }
    guard let real = Double(String(decoding: text, as: UTF8.self)), real.isFinite else {
      throw .smallerNumber
    }
    return .real(real)
  }

  /// Returns the integer of a valid text; nil when it is too large.
  private static func integer(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
    var (value, isNegative): (Int64, Bool) = (0, false)
    for byte in text {
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
}
