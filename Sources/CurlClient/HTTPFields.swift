/// The header fields of a request or of a response, in their order (RFC 9110 section 6.3).
package struct HTTPFields: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  /// A field with its name as written.
  package struct Field: Sendable, Hashable {
    package let name: String
    package let value: String
  }

  package private(set) var all: [Field] = []

  package init() {}

  package init(dictionaryLiteral fields: (String, String)...) {
    for (name, value) in fields { add(name, value) }
  }

  /// The values of all fields with a name, in any case, in their order.
  package subscript(name: String) -> [String] {
    let name = name.lowercased()
    return all.filter { $0.name.lowercased() == name }.map(\.value)
  }

  /// The value of the first field with a name, in any case.
  package func first(_ name: String) -> String? { self[name].first }

  /// The elements of a field whose value is a list: separated by commas, or in fields of the same name (RFC 9110
  /// section 5.6.1). Values with quotation marks aren't understood.
  package func list(_ name: String) -> [String] {
    self[name].flatMap { $0.split(separator: ",") }.map { $0.trimmingBlanks() }
  }

  package mutating func add(_ name: String, _ value: String) {
    all.append(Field(name: name, value: value))
  }

  /// Sets the only field with a name, in any case.
  package mutating func replace(_ name: String, _ value: String) {
    remove(name)
    add(name, value)
  }

  private mutating func remove(_ name: String) {
    let name = name.lowercased()
    all.removeAll { $0.name.lowercased() == name }
  }

  /// Appends to the value of the last field, of which a line is the continuation (RFC 9112 section 5.2).
  mutating func extendLast(_ text: String) {
    guard let last = all.popLast() else { return }
    add(last.name, last.value + " " + text)
  }
}

extension HTTPFields.Field {
  /// Whether it can be sent: the name is a token, and the value has no control character (RFC 9110 section 5).
  var isValid: Bool {
    !name.isEmpty && name.utf8.allSatisfy(Self.isTokenCharacter) && Self.isValue(value)
  }

  /// Whether a text can be sent as a value. The values of responses aren't checked: some servers send others.
  package static func isValue(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
  }

  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}

extension StringProtocol {
  /// Returns the text without spaces and tabs at its ends.
  func trimmingBlanks() -> String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    guard let first = firstIndex(where: { !isBlank($0) }),
      let last = lastIndex(where: { !isBlank($0) })
    else { return "" }
    return String(self[first...last])
  }
}
