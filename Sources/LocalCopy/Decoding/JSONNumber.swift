/// Converts JSON numbers whose grammar the scanner has validated.
enum JSONNumber {
  /// Returns an integer of any width; numbers with a fraction or an exponent are accepted if they are whole: `1.0`,
  /// `1e2`, `120e-1`.
  /// - Returns: nil when the number is not whole or does not fit.
  @inline(__always)
  static func integer<T: FixedWidthInteger>(
    _ text: UnsafeBufferPointer<UInt8>, _ marks: JSONTape.Marks
  ) -> T? {
    guard marks.contains(.integer) else { return wholeDecimal(text) }
    var i = 0
    let isNegative = text[0] == UInt8(ascii: "-")
    if isNegative { i = 1 }
    if text.count - i <= 18 {
      var value = 0
      while i < text.count {
        value = value &* 10 &+ Int(text[i] &- UInt8(ascii: "0"))
        i += 1
      }
      return T(exactly: isNegative ? -value : value)
    }
    return T(String(decoding: text, as: UTF8.self))
  }

  /// Returns the exact value of a number with a fraction or an exponent.
  private static func wholeDecimal<T: FixedWidthInteger>(
    _ text: UnsafeBufferPointer<UInt8>
  ) -> T? {
    let decimal = Parts(text, maximumDigits: .max)
    var digits = text.prefix(decimal.mantissaEnd)
      .filter { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "-") }
    var zeros = 0
    while digits.last == UInt8(ascii: "0") {
      digits.removeLast()
      zeros += 1
    }
    let first = digits.firstIndex { $0 != UInt8(ascii: "0") }
    guard let first else { return 0 }
    let scale = decimal.exponent - decimal.fractionDigits + zeros
    guard scale >= 0, scale + digits.count - first <= 40 else { return nil }
    let sign = text[0] == UInt8(ascii: "-") ? "-" : ""
    return T(
      sign + String(decoding: digits[first...], as: UTF8.self)
        + String(repeating: "0", count: scale))
  }

  /// Returns the nearest double.
  /// - Returns: nil when the number is too large, or not zero but too small.
  @inline(__always)
  static func double(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
    let parts = Parts(text, maximumDigits: 19)
    let scale = parts.exponent - parts.fractionDigits
    // Clinger's fast path: both operands are exact, so one rounding gives the nearest double.
    if parts.isExact, parts.mantissa <= 1 << 53, scale >= -22, scale <= 22 {
      let magnitude = Double(parts.mantissa)
      let value = scale < 0 ? magnitude / powersOfTen[-scale] : magnitude * powersOfTen[scale]
      return parts.isNegative ? -value : value
    }
    if parts.isExact, scale <= 0, scale >= -22, let value = quotient(parts.mantissa, -scale) {
      return parts.isNegative ? -value : value
    }
    guard let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else {
      return nil
    }
    return value == 0 && parts.hasNonzeroDigit ? nil : value
  }

  /// Returns the double nearest to an integer divided by a power of ten; nil when there is no fast way to determine it.
  ///
  /// - Parameter exponent: 0 to 22.
  @inline(__always)
  static func quotient(_ mantissa: UInt64, _ exponent: Int) -> Double? {
    #if arch(x86_64) && !os(Windows)
      // Both operands are exact in 64 bits, so the quotient is rounded once. It lies on the same side of the midpoint
      // between two doubles as the exact quotient, unless it is that midpoint; so rounding it again gives the nearest
      // double.
      let quotient = Float80(mantissa) / Float80(powersOfTen[exponent])
      return quotient.significandBitPattern & 0x7FF == 0x400 ? nil : Double(quotient)
    #else
      return nil
    #endif
  }

  /// Returns the nearest float, rounded once.
  /// - Returns: nil when the number is too large, or not zero but too small.
  static func float(_ text: UnsafeBufferPointer<UInt8>) -> Float? {
    guard let value = Float(String(decoding: text, as: UTF8.self)), value.isFinite else {
      return nil
    }
    return value == 0 && Parts(text, maximumDigits: 19).hasNonzeroDigit ? nil : value
  }

  /// The powers of ten that a double represents exactly.
  static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]

  /// Sign, digits and exponent of a number.
  private struct Parts {
    var mantissa: UInt64 = 0
    /// Whether the mantissa holds all digits.
    var isExact = true
    var hasNonzeroDigit = false
    var isNegative = false
    var fractionDigits = 0
    /// The exponent, clamped to ±100,000: any number beyond it is out of range.
    var exponent = 0
    var mantissaEnd = 0

    @inline(__always)
    init(_ text: UnsafeBufferPointer<UInt8>, maximumDigits: Int) {
      var i = 0
      if text[0] == UInt8(ascii: "-") {
        isNegative = true
        i = 1
      }
      var digits = 0
      var inFraction = false
      while i < text.count {
        let digit = text[i] &- UInt8(ascii: "0")
        if digit < 10 {
          mantissa = mantissa &* 10 &+ UInt64(digit)
          if mantissa > 0 || digit > 0 { digits += 1 }
          if digit > 0 { hasNonzeroDigit = true }
          if inFraction { fractionDigits += 1 }
        } else if text[i] == UInt8(ascii: ".") {
          inFraction = true
        } else {
          break
        }
        i += 1
      }
      isExact = digits <= maximumDigits
      mantissaEnd = i
      if i < text.count { readExponent(text, from: i + 1) }
    }

    private mutating func readExponent(_ text: UnsafeBufferPointer<UInt8>, from start: Int) {
      var i = start
      let isNegative = text[i] == UInt8(ascii: "-")
      if isNegative || text[i] == UInt8(ascii: "+") { i += 1 }
      while i < text.count {
        exponent = min(100_000, exponent * 10 + Int(text[i] &- UInt8(ascii: "0")))
        i += 1
      }
      if isNegative { exponent = -exponent }
    }
  }
}
