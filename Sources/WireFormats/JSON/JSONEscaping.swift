/// The characters of strings that are escaped in JSON.
public enum JSONEscaping: Sendable, Hashable {
  /// Those that RFC 8259 (section 7) requires to be escaped: quotation marks, backslashes, and U+0000 to U+001F.
  case required
  /// The control characters whose escaping the RFC leaves optional, DEL and U+0080 to U+009F, as well, since terminals
  /// interpret some of them.
  case controls

  /// Whether no byte of a string's UTF-8 form needs to be escaped or looked at more closely.
  fileprivate func isPlain(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
    switch self {
    case .required: utf8.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }
    case .controls:
      // 0xC2 leads U+0080 to U+00BF.
      utf8.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C && $0 != 0x7F && $0 != 0xC2 }
    }
  }
}

extension [UInt8] {
  /// Appends a string to JSON text, with its quotation marks.
  package mutating func appendJSON(_ text: String, escaping: JSONEscaping = .required) {
    append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { utf8 in
      if escaping.isPlain(utf8) {
        append(contentsOf: utf8)
      } else {
        appendEscaped(utf8, escaping)
      }
    }
    append(UInt8(ascii: "\""))
  }

  private mutating func appendEscaped(
    _ utf8: UnsafeBufferPointer<UInt8>, _ escaping: JSONEscaping
  ) {
    var leadsControl = false
    for byte in utf8 {
      if leadsControl {
        leadsControl = false
        if byte < 0xA0 {
          appendEscape(byte)
        } else {
          append(0xC2)
          append(byte)
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        append(UInt8(ascii: "\\"))
        append(byte)
      case 0..<0x20: appendEscape(byte)
      case 0x7F where escaping == .controls: appendEscape(byte)
      case 0xC2 where escaping == .controls: leadsControl = true
      default: append(byte)
      }
    }
  }

  private mutating func appendEscape(_ code: UInt8) {
    append(contentsOf: (code < 16 ? "\\u000" : "\\u00").utf8)
    append(contentsOf: String(code, radix: 16).utf8)
  }
}
