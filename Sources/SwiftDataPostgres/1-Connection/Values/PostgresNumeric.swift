/// The binary form of `numeric`: the number of digits to the base 10,000, the weight of the first one, the sign, the
/// number of decimal places, and the digits (`numeric_send` in PostgreSQL's numeric.c).
enum PostgresNumeric {
  private enum Sign {
    static let positive: UInt16 = 0
    static let negative: UInt16 = 0x4000
    static let nan: UInt16 = 0xC000
    static let infinity: UInt16 = 0xD000
    static let negativeInfinity: UInt16 = 0xF000
  }

  private static let headerSize = 8

  // MARK: - Reading

  /// Appends the digits of a stored number, as the server writes them; false for bytes that are no number.
  static func appendText(of bytes: UnsafeRawBufferPointer, to text: inout [UInt8]) -> Bool {
    guard let number = Header(bytes) else { return false }
    switch number.sign {
    case Sign.nan: text += "NaN".utf8
    case Sign.infinity: text += "Infinity".utf8
    case Sign.negativeInfinity: text += "-Infinity".utf8
    default: appendDigits(of: number, bytes, to: &text)
    }
    return true
  }

  private static func appendDigits(
    of number: Header, _ bytes: UnsafeRawBufferPointer, to text: inout [UInt8]
  ) {
    if number.sign == Sign.negative { text.append(0x2D) }
    let start = text.count
    if number.weight >= 0 {
      for place in 0...number.weight {
        append(number.digit(place, bytes), count: 4, to: &text)
      }
      // The first digit has leading zeros.
      let zeros = text[start...].prefix { $0 == 0x30 }.count
      text.removeSubrange(start..<min(start + zeros, text.count - 1))
    } else {
      text.append(0x30)
    }
    guard number.scale > 0 else { return }
    text.append(0x2E)
    let end = text.count + number.scale
    var place = number.weight + 1
    // Places between the point and the first digit are zeros.
    if place < 0 {
      text += repeatElement(0x30, count: min(-place * 4, number.scale))
      place = 0
    }
    while text.count < end {
      append(number.digit(place, bytes), count: 4, to: &text)
      place += 1
    }
    text.removeLast(text.count - end)
  }

  private static func append(_ digit: Int, count: Int, to text: inout [UInt8]) {
    var divisor = 1000
    for _ in 0..<count {
      text.append(UInt8(0x30 + digit / divisor % 10))
      divisor /= 10
    }
  }

  /// The value of a whole number; nil for any other, and for one that 64 bits don't hold.
  static func unsigned(of bytes: UnsafeRawBufferPointer) -> UInt64? {
    guard let number = Header(bytes), number.sign == Sign.positive else { return nil }
    guard number.count <= number.weight + 1 || number.count == 0 else { return nil }
    var value: UInt64 = 0
    guard number.count > 0 else { return 0 }
    for place in 0...max(0, number.weight) {
      let (product, overflow) = value.multipliedReportingOverflow(by: 10_000)
      let (sum, carry) = product.addingReportingOverflow(UInt64(number.digit(place, bytes)))
      if overflow || carry { return nil }
      value = sum
    }
    return value
  }

  private struct Header {
    let count: Int
    let weight: Int
    let sign: UInt16
    let scale: Int

    init?(_ bytes: UnsafeRawBufferPointer) {
      guard bytes.count >= PostgresNumeric.headerSize else { return nil }
      func word(_ index: Int) -> UInt16 {
        UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
      }
      count = Int(word(0))
      weight = Int(Int16(bitPattern: word(1)))
      sign = word(2)
      scale = Int(word(3))
      guard bytes.count >= PostgresNumeric.headerSize + count * 2 else { return nil }
    }

    /// The digit at a place behind the first one; 0 behind the last one.
    func digit(_ place: Int, _ bytes: UnsafeRawBufferPointer) -> Int {
      guard place < count else { return 0 }
      return Int(
        UInt16(
          bigEndian: bytes.loadUnaligned(
            fromByteOffset: PostgresNumeric.headerSize + place * 2, as: UInt16.self)))
    }
  }

  // MARK: - Writing

  /// Appends the binary form of a number in decimal digits; false for a text that is no number.
  static func append(_ text: UnsafeRawBufferPointer, to output: inout [UInt8]) -> Bool {
    if text.elementsEqual("NaN".utf8) {
      append([0, 0, Sign.nan, 0], to: &output)
      return true
    }
    guard let number = Decimals(text) else { return false }
    // Digits to the base 10,000, with the point between two of them.
    var digits = number.digits
    var whole = number.whole
    if whole < 0 {
      digits.insert(contentsOf: repeatElement(0, count: -whole), at: 0)
      whole = 0
    } else if whole > digits.count {
      digits += repeatElement(0, count: whole - digits.count)
    }
    let scale = digits.count - whole
    let leading = (4 - whole % 4) % 4
    digits.insert(contentsOf: repeatElement(0, count: leading), at: 0)
    digits += repeatElement(0, count: (4 - digits.count % 4) % 4)
    var groups = stride(from: 0, to: digits.count, by: 4).map { start in
      digits[start..<start + 4].reduce(UInt16(0)) { $0 * 10 + UInt16($1) }
    }
    var weight = (whole + leading) / 4 - 1
    while groups.first == 0 {
      groups.removeFirst()
      weight -= 1
    }
    while groups.last == 0 { groups.removeLast() }
    guard groups.count <= Int(Int16.max), scale <= 16_383, abs(weight) <= 32_767 else {
      return false
    }
    if groups.isEmpty { weight = 0 }
    let sign = number.isNegative && !groups.isEmpty ? Sign.negative : Sign.positive
    append(
      [UInt16(groups.count), UInt16(bitPattern: Int16(weight)), sign, UInt16(scale)] + groups,
      to: &output)
    return true
  }

  private static func append(_ words: [UInt16], to output: inout [UInt8]) {
    for word in words {
      output.append(UInt8(word >> 8))
      output.append(UInt8(truncatingIfNeeded: word))
    }
  }

  /// The decimal digits of a text, and the number of those before the point, which may be negative.
  private struct Decimals {
    var digits: [UInt8] = []
    var whole = 0
    var isNegative = false

    init?(_ text: UnsafeRawBufferPointer) {
      var rest = text[...]
      if let sign = rest.first, sign == 0x2D || sign == 0x2B {
        isNegative = sign == 0x2D
        rest.removeFirst()
      }
      var point: Int?
      while let byte = rest.first, byte != 0x65, byte != 0x45 {
        rest.removeFirst()
        if byte == 0x2E, point == nil {
          point = digits.count
        } else if (0x30...0x39).contains(byte) {
          digits.append(byte - 0x30)
        } else {
          return nil
        }
      }
      guard !digits.isEmpty else { return nil }
      whole = point ?? digits.count
      guard !rest.isEmpty else { return }
      guard let exponent = Int(String(decoding: rest.dropFirst(), as: UTF8.self)),
        abs(exponent) < 100_000
      else { return nil }
      whole += exponent
    }
  }
}
