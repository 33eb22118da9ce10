/// JSON text under construction, as UTF-8 bytes.
struct JSONBytes: Sendable {
  private(set) var bytes: [UInt8] = []

  /// Hands the bytes over and starts anew.
  mutating func take() -> [UInt8] {
    defer {
      bytes = []
      bytes.reserveCapacity(72 * 1_024)
    }
    return bytes
  }

  /// Appends text that is JSON already.
  mutating func raw(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// Appends a string with its quotation marks, escaped as RFC 8259 (section 7) wants.
  mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0..<0x20:
        let hexadecimal = String(byte, radix: 16)
        bytes.append(contentsOf: (byte < 16 ? "\\u000" : "\\u00").utf8)
        bytes.append(contentsOf: hexadecimal.utf8)
      default:
        bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Appends a string or `null`.
  mutating func string(_ text: String?) {
    if let text { string(text) } else { raw("null") }
  }

  /// Appends a whole number or `null`.
  mutating func integer(_ value: Int?) {
    if let value { bytes.append(contentsOf: String(value).utf8) } else { raw("null") }
  }

  /// Appends `value / 10^places` without trailing zeros (so 2.50 is `2.5` and 3.00 is `3`), or `null`.
  mutating func decimal(_ value: Int?, places: Int) {
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
}
