/// JSON text under construction, as UTF-8 bytes.
public struct JSONBytes: Sendable {
  /// The text so far.
  public private(set) var bytes: [UInt8] = []

  /// Creates an empty text.
  public init() {}

  /// Returns the bytes and clears the text.
  public mutating func take() -> [UInt8] {
    defer {
      bytes = []
      bytes.reserveCapacity(72 * 1_024)
    }
    return bytes
  }

  /// Appends text that is already JSON.
  public mutating func raw(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// Appends a string with its quotation marks, escaped as RFC 8259 (section 7) requires. The
  /// control characters whose escaping it leaves optional (DEL and U+0080 to U+009F) are escaped
  /// too, since terminals interpret some of them.
  public mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    var leadsControl = false
    for byte in text.utf8 {
      if leadsControl {
        leadsControl = false
        if byte < 0xa0 {
          escape(byte)
        } else {
          bytes.append(0xc2)
          bytes.append(byte)
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0..<0x20, 0x7f: escape(byte)
      case 0xc2: leadsControl = true  // U+0080 to U+00BF
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func escape(_ code: UInt8) {
    bytes.append(contentsOf: (code < 16 ? "\\u000" : "\\u00").utf8)
    bytes.append(contentsOf: String(code, radix: 16).utf8)
  }

  /// Appends a string or `null`.
  public mutating func string(_ text: String?) {
    if let text { string(text) } else { raw("null") }
  }

  /// Appends a whole number or `null`.
  public mutating func integer(_ value: Int?) {
    if let value { bytes.append(contentsOf: String(value).utf8) } else { raw("null") }
  }

  /// Appends `value / 10^places` without trailing zeros (so 2.50 is `2.5` and 3.00 is `3`), or
  /// `null`.
  public mutating func decimal(_ value: Int?, places: Int) {
    guard let value else { return raw("null") }
    var magnitude = value.magnitude
    var places = places
    while places > 0 && magnitude % 10 == 0 {
      magnitude /= 10
      places -= 1
    }
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    let digits = Array(String(magnitude).utf8)
    guard places > 0 else { return bytes.append(contentsOf: digits) }
    let padding = max(0, places + 1 - digits.count)
    let padded = [UInt8](repeating: UInt8(ascii: "0"), count: padding) + digits
    bytes.append(contentsOf: padded.dropLast(places))
    bytes.append(UInt8(ascii: "."))
    bytes.append(contentsOf: padded.suffix(places))
  }

  /// Appends a number in the shortest form that reads back the same, or `null` (also for values
  /// that JSON cannot represent: infinities and not-a-number).
  public mutating func number(_ value: Double?) {
    guard let value, value.isFinite else { return raw("null") }
    if let whole = Int(exactly: value), whole.magnitude < 1 << 53 { return integer(whole) }
    bytes.append(contentsOf: value.description.utf8)
  }

  /// Appends `true` or `false`.
  public mutating func boolean(_ value: Bool) {
    if value { raw("true") } else { raw("false") }
  }
}
