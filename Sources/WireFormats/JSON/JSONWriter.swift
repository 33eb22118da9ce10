import Foundation

/// Writes JSON text (RFC 8259) as UTF-8 bytes, token by token: brackets, commas and names are written with ``raw(_:)``
/// or ``member(_:)``, values with the method of their type.
///
/// ```swift
/// var json = JSONWriter()
/// json.raw(#"{"name":"#)
/// json.string(name)
/// json.raw(#","magnitude":"#)
/// json.decimal(hundredths, places: 2)
/// json.raw("}")
/// ```
public struct JSONWriter: Sendable {
  /// The text so far.
  public private(set) var bytes: [UInt8] = []
  /// The characters of strings that are escaped.
  public let escaping: JSONEscaping

  /// Creates an empty text.
  /// - Parameter escaping: the characters of strings that are escaped; by default also those that terminals interpret.
  public init(escaping: JSONEscaping = .controls) { self.escaping = escaping }

  /// Returns the bytes and clears the text.
  public mutating func take() -> [UInt8] {
    defer {
      bytes = []
      bytes.reserveCapacity(72 * 1_024)
    }
    return bytes
  }

  /// Appends text that is already JSON, or a part of it.
  /// - Parameter text: the text, which is not checked.
  public mutating func raw(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// Appends the text of another writer: a value, or a part of one.
  public mutating func append(_ other: JSONWriter) { bytes.append(contentsOf: other.bytes) }

  /// Appends the name of an object's member with its colon, and the comma before it unless the member is the first.
  /// - Parameter name: the name, which is not escaped.
  public mutating func member(_ name: StaticString) {
    if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
    bytes.append(UInt8(ascii: "\""))
    raw(name)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  /// Appends a string with its quotation marks.
  /// - Parameter text: the string; escaped as the writer's ``escaping`` says.
  public mutating func string(_ text: String) { bytes.appendJSON(text, escaping: escaping) }

  /// Appends a string or `null`.
  /// - Parameter text: the string; nil is written as `null`.
  public mutating func string(_ text: String?) {
    if let text { string(text) } else { raw("null") }
  }

  /// Appends a whole number or `null`.
  /// - Parameter value: the number; nil is written as `null`.
  public mutating func integer(_ value: Int?) {
    if let value { bytes.append(contentsOf: String(value).utf8) } else { raw("null") }
  }

  /// Appends a decimal number without trailing zeros (so 2.50 is `2.5` and 3.00 is `3`), or `null`.
  /// - Parameters:
  ///   - value: the number, multiplied by 10^`places`; nil is written as `null`.
  ///   - places: the number of decimal places of `value`; not negative.
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

  /// Appends a number in the shortest form that reads back the same, or `null`.
  /// - Parameter value: the number; nil is written as `null`, and so are infinities and not-a-number, which JSON cannot
  ///   represent.
  public mutating func number(_ value: Double?) {
    guard let value, value.isFinite else { return raw("null") }
    if let whole = Int(exactly: value), whole.magnitude < 1 << 53 { return integer(whole) }
    bytes.append(contentsOf: value.description.utf8)
  }

  /// Appends `true` or `false`.
  /// - Parameter value: the value.
  public mutating func boolean(_ value: Bool) {
    if value { raw("true") } else { raw("false") }
  }

  /// Appends a time as whole milliseconds since 1970-01-01T00:00:00Z, or `null`.
  /// - Parameter date: the time; nil is written as `null`.
  public mutating func time(_ date: Date?) { integer(date?.milliseconds) }
}

extension Date {
  /// The whole milliseconds since 1970-01-01T00:00:00Z, rounded. Dates beyond those of ECMAScript (ECMA-262, 21.4.1.1),
  /// which a store may have, count as the first or the last one; NaN as 1970.
  package var milliseconds: Int {
    let value = (timeIntervalSince1970 * 1_000).rounded()
    return value.isNaN ? 0 : Int(min(max(value, -8.64e15), 8.64e15))
  }
}
